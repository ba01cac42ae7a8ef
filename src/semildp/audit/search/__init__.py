"""Looking for what tells two inputs apart: columns, scores, events, and the epsilon they prove."""
