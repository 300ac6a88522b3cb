//! The control socket: its server in the daemon, its client in the commands.
