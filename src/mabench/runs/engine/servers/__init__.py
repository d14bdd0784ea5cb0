"""What the engine does about servers of models: metering calls, their cost, outages."""
