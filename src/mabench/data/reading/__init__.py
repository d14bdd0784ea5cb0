"""Where rows come from: files, the hub, other benchmarks, and objects in memory."""
