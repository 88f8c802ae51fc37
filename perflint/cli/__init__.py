"""The command line: settings, requests, output, and the commands themselves."""
