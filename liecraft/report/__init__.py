"""What people look at: tables and transcripts."""
