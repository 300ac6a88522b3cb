//! The one test binary.

#[cfg(test)]
mod agree;
#[cfg(test)]
mod disk_faults;
#[cfg(test)]
mod live;
#[cfg(test)]
mod machine;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod store_model;
#[cfg(test)]
mod watching;
