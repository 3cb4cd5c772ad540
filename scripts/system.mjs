// Gets the system programs that the tests start (a real browser, a real Redis) when the machine lacks them; with the argument
// foreign-clients, those of `pnpm foreign-clients`. It prints what it installs, why and with which command before it does.
// MINTMARK_NO_INSTALL=1 makes it report what is missing instead.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Each program, another one that does as well, its Debian package, its purpose, and the variable that names another path to it. */
const testPrograms = [
  {
    program: 'chromium-headless-shell',
    alternative: 'chromium',
    debianPackage: 'chromium-headless-shell',
    purpose: 'the browser tests',
    variable: 'CHROMIUM_PATH',
  },
  {
    program: 'redis-server',
    debianPackage: 'redis-server',
    purpose: 'the tests of storage-redis',
    variable: 'REDIS_SERVER_PATH',
  },
  // Debian's redis-server depends on the package that contains it.
  {
    program: 'redis-cli',
    debianPackage: 'redis-server',
    purpose: 'the tests of storage-redis',
    variable: 'REDIS_CLI_PATH',
  },
]

/** `check` is a command that succeeds if the program is available. Otherwise its name is looked up on the PATH. */
const foreignPrograms = [
  { program: 'javac', debianPackage: 'default-jdk-headless', purpose: 'the clients in Java' },
  { program: 'mvn', debianPackage: 'maven', purpose: 'the clients in Java' },
  {
    program: 'python3 with venv',
    debianPackage: 'python3-venv',
    purpose: 'the clients in Python',
    check: ['python3', '-c', 'import ensurepip'],
  },
  { program: 'go', debianPackage: 'golang-go', purpose: 'the client in Go' },
  { program: 'cargo', debianPackage: 'cargo', purpose: 'the client in Rust' },
  { program: 'apache2', debianPackage: 'apache2-bin', purpose: 'mod_auth_openidc' },
  {
    program: 'mod_auth_openidc.so',
    debianPackage: 'libapache2-mod-auth-openidc',
    purpose: 'mod_auth_openidc',
    check: ['test', '-r', '/usr/lib/apache2/modules/mod_auth_openidc.so'],
  },
]

const programs = process.argv[2] === 'foreign-clients' ? foreignPrograms : testPrograms
const isAvailable = ({ program, alternative, variable, check }) => {
  if (check !== undefined) return spawnSync(check[0], check.slice(1)).status === 0
  return (
    process.env[variable] !== undefined || [program, alternative].some((name) => name !== undefined && isOnPath(name))
  )
}
const missing = programs.filter((program) => !isAvailable(program))
if (missing.length > 0) {
  if (process.env.MINTMARK_NO_INSTALL === '1') failBecause('MINTMARK_NO_INSTALL is set')
  if (!isOnPath('apt-get')) failBecause('there is no apt-get')
  install()
}

function install() {
  for (const { program, debianPackage, purpose } of missing)
    console.log(`Installing ${program}, needed by ${purpose}, with: ${commandOf(installArguments([debianPackage]))}`)
  run(aptGet('update', '-qq'))
  run(installArguments([...new Set(missing.map(({ debianPackage }) => debianPackage))]))
  const stillMissing = missing.filter((one) => !isAvailable(one)).map(({ program }) => program)
  if (stillMissing.length > 0) fail(`apt-get succeeded, but ${stillMissing.join(', ')} is still not on the PATH.`)
}

function failBecause(reason) {
  const lines = missing.map(
    ({ program, debianPackage, purpose, variable }) =>
      `- ${program}, needed by ${purpose}: install it (Debian: ${commandOf(installArguments([debianPackage]))})${variable === undefined ? '' : ` or set ${variable} to its path`}`,
  )
  fail(`Programs are missing, and nothing was installed because ${reason}:\n${lines.join('\n')}`)
}

function installArguments(packages) {
  // Another run may hold the lock: wait for it.
  return aptGet('install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages)
}

function aptGet(...args) {
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
  return process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
}

function commandOf(command) {
  return command.join(' ')
}

function run([file, ...args]) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) fail(`"${commandOf([file, ...args])}" failed.\n${error?.message ?? `${stdout}${stderr}`}`)
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // Not in this folder, or not executable: look in the next one.
      return false
    }
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
