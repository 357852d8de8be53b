-- How the evidence of a model's searches is judged; null: as the code has it.
ALTER TABLE embedding_models ADD COLUMN calibration jsonb;
