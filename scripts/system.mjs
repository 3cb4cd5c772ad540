// Gets the system programs that the tests start (a real browser, a real Redis) when the machine lacks them.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Program on PATH, one that does as well, the Debian package that has it, and the variable that names another place for it. */
const programs = [
  {
    program: 'chromium-headless-shell',
    standIn: 'chromium',
    debianPackage: 'chromium-headless-shell',
    variable: 'CHROMIUM_PATH',
  },
  { program: 'redis-server', debianPackage: 'redis-server', variable: 'REDIS_SERVER_PATH' },
  // Debian's redis-server brings it along.
  { program: 'redis-cli', debianPackage: 'redis-server', variable: 'REDIS_CLI_PATH' },
]

const isThere = ({ program, standIn, variable }) =>
  process.env[variable] !== undefined || isOnPath(program) || (standIn !== undefined && isOnPath(standIn))
const missing = programs.filter((one) => !isThere(one))
if (missing.length > 0) install(missing)

function install(wanted) {
  const names = [...new Set(wanted.map(({ debianPackage }) => debianPackage))]
  if (!isOnPath('apt-get')) {
    const hints = wanted.map(({ program, variable }) => `${program} (or set ${variable})`)
    fail(`The tests need ${hints.join(', ')}, and there is no apt-get here. Install them, then run the tests again.`)
  }
  console.log(`Installing ${names.join(', ')} for the tests (about half a minute, once) …`)
  aptGet('update', '-qq')
  // Another run may be installing at this moment: wait for it.
  aptGet('install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...names)
  const stillMissing = wanted.filter(({ program }) => !isOnPath(program))
  if (stillMissing.length > 0)
    fail(`apt-get ran, but ${stillMissing.map(({ program }) => program).join(', ')} did not appear.`)
}

function aptGet(...args) {
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
  const [file, ...rest] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
  const { status, stdout, stderr, error } = spawnSync(file, rest, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) fail(`"${[file, ...rest].join(' ')}" failed.\n${error?.message ?? `${stdout}${stderr}`}`)
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // Not in this folder, or not executable: the next one may have it.
      return false
    }
  })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
