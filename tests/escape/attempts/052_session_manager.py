# threat 52: the user's manager is asked to start something outside
import subprocess
runtime = f"/run/user/{os.getuid()}"
found = [p for p in (runtime, runtime + "/bus", runtime + "/systemd/private", "/run/dbus/system_bus_socket",
                     "/run/systemd/private", *FIXTURES["sockets"]) if os.path.exists(p)]
verdict(bool(found), f"places of buses and managers in sight: {found}")
