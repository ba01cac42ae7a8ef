"""The collection service: people enrol and answer over HTTP, waves advance by themselves, a model is what is left."""
