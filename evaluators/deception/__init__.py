"""Who deceived whom: claims by class, success, persuasion."""
