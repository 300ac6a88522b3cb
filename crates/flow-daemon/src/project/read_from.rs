//! Which pages of this machine may read the answers, by the port that they come from.

/// Most ports in a file of settings.
pub(super) const MOST_PORTS: usize = 100;

/// The ports whose pages may read the answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReadFrom {
    /// Any port of this machine.
    #[default]
    Any,
    /// These only.
    Ports(Vec<u16>),
}

impl ReadFrom {
    /// Whether pages from a port may read.
    pub fn allows(&self, port: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Ports(ports) => ports.contains(&port),
        }
    }

    /// What both allow.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        match self {
            Self::Any => other.clone(),
            Self::Ports(ports) => {
                Self::Ports(ports.into_iter().filter(|port| other.allows(*port)).collect())
            }
        }
    }

    /// The same and the server's own port, whose pages are its own.
    #[must_use]
    pub fn or_port(mut self, port: u16) -> Self {
        if let Self::Ports(ports) = &mut self {
            ports.push(port);
        }
        self
    }
}
