//! `type-definitions`, judged by the TypeScript compiler.
