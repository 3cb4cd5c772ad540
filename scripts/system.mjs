// Installs the programs that the tests need (a browser, databases) if the machine does not have them; with the argument
// `clusters` those of `pnpm test:cluster`, and with `foreign-clients` those of `pnpm foreign-clients`. First prints the programs, the reasons and the
// command. With MINTMARK_NO_INSTALL=1 it only reports missing programs.
import './require-node.mjs'
import { spawnSync } from 'node:child_process'

/**
 * Each program: its Debian package, a shell command that succeeds if it is installed, its purpose, and the environment
 * variable that can name another executable.
 */
const testPrograms = [
  {
    debianPackage: 'chromium-headless-shell',
    check: 'command -v chromium-headless-shell || command -v chromium',
    purpose: 'the browser tests',
    variable: 'CHROMIUM_PATH',
  },
  {
    debianPackage: 'redis-server',
    check: 'command -v redis-server',
    purpose: 'the tests of storage-redis',
    variable: 'REDIS_SERVER_PATH',
  },
  {
    debianPackage: 'mariadb-server',
    check: 'command -v mariadbd',
    purpose: 'the tests of storage-sql',
    variable: 'MARIADBD_PATH',
  },
  // Debian's redis-server depends on the package that contains it.
  {
    debianPackage: 'redis-server',
    check: 'command -v redis-cli',
    purpose: 'the tests of storage-redis',
    variable: 'REDIS_CLI_PATH',
  },
  {
    debianPackage: 'pgbouncer',
    check: 'command -v pgbouncer || test -x /usr/sbin/pgbouncer',
    purpose: 'the tests of storage-sql',
    variable: 'PGBOUNCER_PATH',
  },
]

const clusterPrograms = [
  {
    debianPackage: 'haproxy',
    check: 'command -v haproxy || test -x /usr/sbin/haproxy',
    purpose: 'the tests of clusters',
  },
  {
    debianPackage: 'iproute2',
    check: 'command -v ip || test -x /usr/sbin/ip',
    purpose: 'the tests of clusters',
  },
  {
    debianPackage: 'nftables',
    check: 'command -v nft || test -x /usr/sbin/nft',
    purpose: 'the tests of clusters',
  },
]

const foreignPrograms = [
  { debianPackage: 'default-jdk-headless', check: 'command -v javac', purpose: 'the clients in Java' },
  { debianPackage: 'maven', check: 'command -v mvn', purpose: 'the clients in Java' },
  { debianPackage: 'python3-venv', check: 'python3 -c "import ensurepip"', purpose: 'the clients in Python' },
  { debianPackage: 'golang-go', check: 'command -v go', purpose: 'the client in Go' },
  { debianPackage: 'cargo', check: 'command -v cargo', purpose: 'the client in Rust' },
  { debianPackage: 'apache2-bin', check: 'command -v apache2', purpose: 'mod_auth_openidc' },
  {
    debianPackage: 'libapache2-mod-auth-openidc',
    check: 'test -r /usr/lib/apache2/modules/mod_auth_openidc.so',
    purpose: 'mod_auth_openidc',
  },
  { debianPackage: 'nginx-light', check: 'command -v nginx', purpose: 'nginx with client certificates' },
]

const programs =
  new Map([
    ['clusters', [...testPrograms, ...clusterPrograms]],
    ['foreign-clients', foreignPrograms],
  ]).get(process.argv[2]) ?? testPrograms
const succeeds = (command) => spawnSync('sh', ['-c', command]).status === 0
const missingOf = (all) => all.filter(({ check, variable }) => process.env[variable] === undefined && !succeeds(check))
const aptGet = `${process.getuid?.() === 0 ? '' : 'sudo -n '}env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3`
// Waits for the lock, which another run may hold.
const installCommand = (packages) =>
  `${aptGet} install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 ${[...new Set(packages)].join(' ')}`

const missing = missingOf(programs)
const packages = missing.map(({ debianPackage }) => debianPackage)
if (missing.length > 0) {
  const reasons = missing.map(
    ({ debianPackage, check, purpose, variable }) =>
      `- ${debianPackage}, needed by ${purpose}, because this fails: ${check}${variable === undefined ? '' : ` (or set ${variable} to its path)`}`,
  )
  const refusal =
    process.env.MINTMARK_NO_INSTALL === '1'
      ? 'MINTMARK_NO_INSTALL is set'
      : succeeds('command -v apt-get')
        ? undefined
        : 'there is no apt-get'
  if (refusal !== undefined)
    fail(
      `Programs are missing, and nothing was installed because ${refusal}:\n${reasons.join('\n')}\nOn Debian: ${installCommand(packages)}`,
    )

  console.log(`Installing missing programs:\n${reasons.join('\n')}\nwith: ${installCommand(packages)}`)
  for (const command of [`${aptGet} update -qq`, installCommand(packages)]) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
    if (status !== 0) fail(`"${command}" failed.\n${stdout}${stderr}`)
  }
  const stillMissing = missingOf(missing).map(({ check }) => check)
  if (stillMissing.length > 0) fail(`apt-get succeeded, but these checks still fail: ${stillMissing.join('; ')}`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
