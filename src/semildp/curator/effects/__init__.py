"""What private features add to a public prediction, learnt from residual reports."""
