"""What the dispatcher decides, apart from any bus or database."""
