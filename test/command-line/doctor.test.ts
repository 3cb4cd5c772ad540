import { digestSecret } from '@mintmark/internal'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { aCommandLine } from './command-line.ts'
import { aSite, type ExaminedSite } from './examined-site.ts'

interface Report {
  readonly issuer: string
  readonly healthy: boolean
  readonly findings: readonly {
    readonly level: string
    readonly check: string
    readonly what: string
    readonly fix?: string
  }[]
}

test('a healthy server and its database pass: two processes race for a code, a refresh token and a jti', async () => {
  const { line, issuer, secret } = await aSite()
  const stored = async () => [await line.run('client', 'list', '--json'), await line.run('user', 'list', '--json')]
  const before = await stored()

  const { code, out, err } = await line.with({ env: { MINTMARK_SCIM_SECRET: secret } }).run('doctor', '--json')

  const { healthy, findings, ...report } = JSON.parse(out) as Report
  expect(findings.filter(({ level }) => level !== 'ok').map(({ check }) => check)).toEqual([
    'address.https',
    'clients.pkce',
  ])
  expect(findings.find(({ check }) => check === 'clients.pkce')?.what).toBe(
    'Clients that are not required to use PKCE: A.',
  )
  expect(findings.map(({ check }) => check)).toEqual([
    'address.https',
    'discovery.openid',
    'discovery.oauth',
    'discovery.endpoints',
    'proxy.headers',
    'cookies.flags',
    'cors.public',
    'cors.credentials',
    'cors.private',
    'keys.published',
    'keys.cache',
    'keys.overlap',
    'keys.age.ES256',
    'keys.age.RS256',
    'keys.sealing',
    'errors.token',
    'errors.userinfo',
    'errors.page',
    'errors.detail',
    'delivery.worker',
    'delivery.backlog',
    'delivery.dead',
    'scim.served',
    'scim.secret',
    'secrets.sealing_key',
    'secrets.guessable',
    'clients.pkce',
    'clock.skew',
    'storage.reachable',
    'storage.migrations',
    'storage.consume',
    'storage.rotate',
    'storage.claim',
  ])
  expect({ code, err, healthy, report }).toEqual({ code: 0, err: '', healthy: true, report: { issuer } })
  expect(out).not.toContain(secret)
  expect(await stored()).toEqual(before)
  // Doctor removed the rows that it wrote, so an hour later there is nothing to purge.
  const later = line.with({ clock: () => epochSeconds(Date.now() / 1000 + 3600) })
  expect((await later.run('purge', '--issuer', 'https://doctor.invalid')).out).toBe('Removed 0 rows.')
})

test('a server that names another issuer fails, with advice on how to fix it (OIDC Discovery §4.3)', async () => {
  const { issuer } = await aSite()
  const other = issuer.replace('127.0.0.1', 'localhost')

  const byAnotherName: typeof fetch = (url, init) =>
    fetch(new Request(url).url.replace('//localhost', '//127.0.0.1'), init)

  const { code, out, err } = await (await aCommandLine()).with({ fetch: byAnotherName }).run('doctor', other)

  expect(code).toBe(1)
  expect(err).toMatch(/^mintmark: 3 of \d+ checks failed\.$/)
  expect(out).toContain(
    `fail  discovery.openid     ${other}/.well-known/openid-configuration names another issuer: ${issuer}.`,
  )
  expect(out).toMatch(/fail {2}discovery\.oauth/)
  expect(out).toMatch(/fail {2}discovery\.endpoints .*authorization_endpoint/)
  expect(out).toMatch(/→ Configure the server with the issuer/)
})

test('a proxy that builds URLs from request headers fails (RFC 9700 §2.6)', async () => {
  const site = await aSite((answer) => {
    const host = answer.request.headers['x-forwarded-host']
    const isHttp = answer.request.headers['x-forwarded-proto'] === 'http'
    if (typeof host === 'string') answer.text = answer.text.replaceAll('127.0.0.1', host)
    if (isHttp) answer.text = answer.text.replaceAll('/login', '/elsewhere')
  })

  const { code, findings } = await examine(site)

  expect(code).toBe(1)
  expect(findings.filter(isFail)).toEqual([
    {
      level: 'fail',
      check: 'proxy.headers',
      what: 'Headers that any client can send change the document: x-forwarded-host, x-forwarded-proto, x-forwarded-port.',
      fix: expect.stringContaining('configured issuer') as string,
    },
  ])
})

test('a proxy that adds credentials to CORS, strips cookie flags, caches keys for a week, hides a well-known path and shows its errors fails', async () => {
  const site = await aSite((answer) => {
    const { headers, request } = answer
    headers.set('access-control-allow-origin', request.headers.origin ?? '*')
    headers.set('access-control-allow-credentials', 'true')
    if (headers.has('set-cookie')) headers.set('set-cookie', 'mintmark-browser=x; Path=/')
    if (request.url === '/login/jwks') headers.set('cache-control', 'max-age=604800')
    if (request.url === '/.well-known/oauth-authorization-server/login') answer.status = 404
    if (request.url === '/login/token') answer.text = 'Error: no\n    at handle (server.js:1:1)'
    if (request.url?.startsWith('/login/scim/') === true) headers.set('content-type', 'application/json')
  })

  const { findings } = await examine(site, '--client', 'A', '--redirect-uri', 'https://app.test/cb')

  expect(findings.filter(isFail).map(({ check }) => check)).toEqual([
    'discovery.oauth',
    'cookies.flags',
    'cors.credentials',
    'cors.private',
    'keys.cache',
    'errors.token',
    'errors.detail',
    'scim.served',
  ])
  expect(findings.filter(isFail).every(({ what, fix = '' }) => what.endsWith('.') && fix.endsWith('.'))).toBe(true)
})

test('finds well-known secrets, a sealing key with repetitions, keys that differ from the published ones and a wrong clock', async () => {
  const { line } = await aSite((answer) => {
    if (answer.request.url !== '/login/jwks') return
    answer.text = JSON.stringify({ keys: (JSON.parse(answer.text) as { keys: unknown[] }).keys.slice(1) })
  })
  const storage = await line.storage()
  const client = await storage.clients.find(clientId('A'))
  if (client === undefined) throw new Error('There is no client A.')
  const secrets = [{ ...client.secrets[0], digest: await digestSecret('changeme') }] as typeof client.secrets
  await storage.clients.compareAndSwap({ ...client, secrets }, client.version)
  const world = {
    env: { MINTMARK_SEALING_KEY: Buffer.alloc(32, 7).toString('base64url') },
    clock: () => epochSeconds(Date.now() / 1000 + 90),
  }

  const { out } = await line.with({ ...world, self: ['false'] }).run('doctor', '--json')

  const { findings } = JSON.parse(out) as Report
  expect(findings.filter(isFail).map(({ check }) => check)).toEqual([
    'keys.overlap',
    'keys.sealing',
    'secrets.sealing_key',
    'secrets.guessable',
    'clock.skew',
  ])
  expect(findings.find(({ check }) => check === 'storage.race')?.level).toBe('warn')
})

test('a database that lets two processes redeem one code fails (RFC 6749 §10.5)', async () => {
  const { line, issuer } = await aSite()
  const report = JSON.stringify({
    consumed: ['won', 'replayed'],
    rotated: ['rotated', 'retried'],
    claimed: ['fresh', 'seen'],
  })
  const worker = `console.log('ready'); process.stdin.once('data', () => setTimeout(() => { console.log('${report}'); process.exit() }, 9))`

  const { out } = await line.with({ self: [process.execPath, '-e', worker, '--'] }).run('doctor', issuer, '--json')

  const levels = (JSON.parse(out) as Report).findings
    .filter(({ check }) => /^storage\.(?:consume|rotate|claim)$/.test(check))
    .map(({ level }) => level)
  expect(levels).toEqual(['fail', 'fail', 'fail'])
})

test('reports that the server and the database cannot be reached, and skips the checks that need them', async () => {
  const line = await aCommandLine()

  const { code, out } = await line.run('doctor', 'http://127.0.0.1:9', '--sqlite', 'nowhere.db', '--json')

  const { findings } = JSON.parse(out) as Report
  expect(code).toBe(1)
  expect(findings.map(({ level, check }) => `${level} ${check}`)).toEqual([
    'fail discovery.openid',
    'fail discovery.oauth',
    'fail storage.reachable',
  ])
})

async function examine(
  { issuer }: ExaminedSite,
  ...argv: readonly string[]
): Promise<Report & { readonly code: number }> {
  const elsewhere = await aCommandLine()
  const { code, out } = await elsewhere.run('doctor', issuer, '--json', ...argv)
  return { ...(JSON.parse(out) as Report), code }
}

const isFail = ({ level }: Report['findings'][number]): boolean => level === 'fail'

test('--profile lists what a server lacks for FAPI 2.0 (FAPI 2.0 SP §5.3)', async () => {
  const { line } = await aSite()

  const { code, out } = await line.run('doctor', '--profile', 'fapi2', '--json')

  const failed = (JSON.parse(out) as Report).findings.filter(({ level }) => level === 'fail')
  expect(code).toBe(1)
  expect(failed.map(({ check }) => check)).toContain('profile.push_required')
  expect(failed.map(({ check }) => check)).not.toContain('profile.pushed')
})
