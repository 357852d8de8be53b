"""Courses: what their words look like as a file."""
