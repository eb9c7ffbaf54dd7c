"""The layer for networks: `ChainCRF`, its losses, and its parameters on the meta device."""
