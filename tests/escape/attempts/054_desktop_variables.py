# threats 13 and 54: variables that lead to the desktop, the agents and the service manager
names = [n for n in FIXTURES["desktop_variables"] if n in os.environ]
places = [p for p in ("/tmp/.X11-unix", "/tmp/.ICE-unix") if os.path.exists(p)]
verdict(bool(names or places), f"variables {names}, places {places}")
