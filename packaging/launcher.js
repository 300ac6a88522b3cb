#!/usr/bin/env node
// Runs the program of this platform, which npm installed as an optional dependency: passes arguments, signals and exit code.
'use strict';
const { spawn } = require('node:child_process');
const path = require('node:path');
const { name, version, optionalDependencies } = require('../package.json');

// Node says which glibc it runs with; with musl there is none.
function libc() {
  if (process.platform !== 'linux') return '';
  return process.report.getReport().header.glibcVersionRuntime ? '' : '-musl';
}

function program() {
  const platform = `${process.platform}-${process.arch}${libc()}`;
  const wanted = `${name}-${platform}`;
  if (!(wanted in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((one) => one.slice(name.length + 1)).join(', ');
    throw new Error(`there is no program for ${platform}, only for: ${known}; build it with: cargo install ${name}`);
  }
  try {
    return path.join(path.dirname(require.resolve(`${wanted}/package.json`)), 'bin', 'flow');
  } catch {
    throw new Error(`the package ${wanted} is missing; install it with: npm install ${wanted}@${version} (npm leaves it out with --omit=optional)`);
  }
}

// A terminal sends these to the program as well, which would otherwise get them twice.
const FROM_TERMINAL = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
const FROM_PROCESSES = ['SIGTERM', 'SIGUSR1', 'SIGUSR2'];

function fail(message) {
  process.stderr.write(`${name}: ${message}\n`);
  process.exitCode = 1;
}

let file;
try {
  file = program();
} catch (error) {
  fail(error.message);
}
if (file) {
  const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const pass = (signal) => child.kill(signal);
  for (const signal of FROM_PROCESSES) process.on(signal, pass);
  for (const signal of FROM_TERMINAL) process.on(signal, onTerminal ? () => {} : pass);
  child.on('error', (error) => fail(`could not run ${file}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // Ends as the program ended.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
