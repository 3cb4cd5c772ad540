// One file: it downloads, builds and runs one client, with everything that exists only for that run.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'

import { getRequestListener } from '@hono/node-server'
import { certificateFromHeader, registerClient } from '@mintmark/core'
import { devicePage } from '@mintmark/pages'
import { registerIdentityProvider } from '@mintmark/scim'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { createTestCertificate } from '@mintmark/testkit'
import { exportJWK, generateKeyPair } from 'jose'

import { createNotesServer, noteScopes } from '../../examples/mcp/src/mcp-server.ts'
import { openBrowser } from '../interop/user-browser.ts'
import { openWebApp } from '../interop/web-app.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { freePort } from '../support/free-port.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { checkPartner } from './check-partner.ts'
import { pinnedVersion, type ForeignClient } from './foreign-client.ts'
import { toolchainOf, type Command } from './toolchains.ts'
import { verdictOn, type CheckResult, type Verdict } from './verdict.ts'

/** The outcome of one client. */
export type Outcome =
  | { readonly kind: 'not run'; readonly reason: string }
  | (Verdict & { readonly kind: 'ran'; readonly version: string; readonly log: string })

interface Limits {
  /** Once it aborts, no download, build or run starts. */
  readonly signal: AbortSignal
  readonly isOnPath: (program: string) => boolean
  /** Runs a download while no other runs. */
  readonly exclusively: <T>(download: () => Promise<T>) => Promise<T>
}

const minutes = 60_000
const downloadLimit = 5 * minutes
const buildLimit = 8 * minutes
const runLimit = 4 * minutes

/** Downloads, builds and runs one client against its own server. */
export async function runClient(client: ForeignClient, limits: Limits): Promise<Outcome> {
  const folder = join(import.meta.dirname, client.folder)
  const output = resolve('test-output/foreign-clients', client.folder)
  const { programs, oldest, download, build, run, isExclusive } = toolchainOf(client.toolchain)
  const missing = programs.filter((program) => !limits.isOnPath(program))
  if (missing.length > 0) return { kind: 'not run', reason: `${missing.join(' and ')} is not installed` }

  mkdirSync(output, { recursive: true })
  const start = (command: Command, limit: number) =>
    runProgram({ command, folder, signal: AbortSignal.any([limits.signal, AbortSignal.timeout(limit)]) })
  const [first = ''] = programs
  const { log: version } = oldest === undefined ? { log: '' } : await start([first, '--version'], minutes)
  if (oldest !== undefined && isOlder(version, oldest))
    return { kind: 'not run', reason: `${first} is older than ${oldest.join('.')}` }

  const runAll = async (commands: readonly Command[], limit: number): Promise<string | undefined> => {
    for (const command of commands) {
      const { status, log } = await start(command, limit)
      if (status !== 0) return `${basename(command[0])}: ${status === 'a time-out' ? status : lastLines(log)}`
    }
    return undefined
  }
  const downloads = async (): Promise<string | undefined> =>
    (await fetchCollection(client, output)) ?? runAll(download(output), downloadLimit)
  const unavailable = await (isExclusive ? limits.exclusively(downloads) : downloads())
  if (limits.signal.aborted) return { kind: 'not run', reason: 'the command reached its time limit' }
  if (unavailable !== undefined) return { kind: 'not run', reason: `download failed: ${unavailable}` }

  const broken = await runAll(build(output), buildLimit)
  if (limits.signal.aborted) return { kind: 'not run', reason: 'the command reached its time limit' }
  if (broken?.endsWith('a time-out') === true) return { kind: 'not run', reason: `build: ${broken}` }
  if (broken !== undefined)
    return { kind: 'ran', version: pinnedVersion(client) ?? '', log: '', results: [], problems: [`build: ${broken}`] }
  return runAgainstServer(client, { folder, command: run(output), output })
}

function isOlder(text: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor, ownMinor = 0] = /(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return Number(ownMajor) < major || (Number(ownMajor) === major && Number(ownMinor) < minor)
}

/** @returns why the download failed; `undefined` if it succeeded or the client needs none. */
async function fetchCollection({ collection }: ForeignClient, output: string): Promise<string | undefined> {
  if (collection === undefined) return undefined
  // CI uses package registries only.
  if (process.env['CI'] !== undefined) return 'CI downloads nothing from GitHub'
  try {
    const response = await fetch(collection, { signal: AbortSignal.timeout(minutes) })
    if (!response.ok) return `${collection}: ${response.status}`
    writeFileSync(join(output, 'collection.json'), await response.text())
    return undefined
  } catch (error) {
    return `${collection}: ${String(error)}`
  }
}

/**
 * Runs the program against a new server. The program gets its settings as environment variables and writes lines:
 * `passed TITLE`, `failed TITLE: reason` or `version TEXT`. `visit URL` and `post URL FORM` use the browser of a signed-in
 * user who consents to everything; the program gets the final page of the browser as one line of JSON. `end SESSION`
 * ends the session at the server and sends the logout tokens; the program gets the report of their delivery.
 * `provision URL TOKEN` provisions the program, which is a SCIM service; it gets a line after the last check.
 */
async function runAgainstServer(
  client: ForeignClient,
  program: { readonly folder: string; readonly command: Command; readonly output: string },
): Promise<Outcome> {
  const port = await freePort()
  const clientOrigin = `http://localhost:${port}`
  const tools = client.callsTools === true ? await listenForTools() : undefined
  const site = await startLoopbackServer({
    clock: () => epochSeconds(Math.floor(Date.now() / 1000)),
    dangerouslyAllowOutbound: [clientOrigin],
    ...tools?.options,
    ...(client.exchangesTokens === true && {
      tokenExchange: { rules: [{ clients: ['exchanger'], mode: 'delegation', audiences: ['https://api.test'] }] },
    }),
    ...(client.usesDevice === true && { device: { renderPage: devicePage } }),
    ...(client.readsGroups === true && {
      scopes: {
        'api.read': 'Read the API',
        'api.write': 'Write to the API',
        groups: { description: 'See your groups', idTokenClaims: ['groups'] },
      },
      claims: () => ({ id_token: { groups: ['platform-admins'] } }),
    }),
    ...(client.forwardsCertificates === true && {
      mutualTls: {
        certificate: certificateFromHeader({
          format: 'nginx',
          trust: 'this_proxy_sets_and_strips_it',
          chain: { header: 'ssl-client-verify' },
        }),
        aliasOrigin: `https://localhost:${port}`,
      },
    }),
  })
  tools?.serve(site.issuer)
  const { callback, backChannelLogout } = client
  const app = await openWebApp(site, {
    ...(callback !== undefined && { redirectUris: [`${clientOrigin}${callback}`] }),
    ...(client.exchangesTokens === true && {
      clientId: 'exchanger',
      grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
    }),
    ...(tools !== undefined && { scopes: [...Object.keys(noteScopes), 'offline_access'] }),
    ...(client.readsGroups === true && { scopes: ['openid', 'profile', 'offline_access', 'groups'] }),
  })
  // Written directly, because openWebApp lets the client register only addresses of its own origin.
  if (backChannelLogout !== undefined)
    await changeClient(site.storage, clientId(app.clientId), {
      backchannelLogoutUri: `${clientOrigin}${backChannelLogout}`,
    })
  app.serve((_request, response) => void response.end('signed in'))
  const { toleranceProfile = 'general' } = client
  const { secret } = await registerIdentityProvider(
    { providerId: 'foreign', toleranceProfile },
    { storage: site.storage },
  )

  const reported: CheckResult[] = []
  let version = pinnedVersion(client) ?? ''
  const browser = openBrowser(site)
  const { status, log } = await runProgram({
    command: program.command,
    folder: program.folder,
    signal: AbortSignal.timeout(runLimit),
    env: {
      ISSUER: site.issuer,
      CLIENT_ID: app.clientId,
      CLIENT_SECRET: app.clientSecret,
      REDIRECT_URI: callback === undefined ? `${app.origin}/callback` : `${clientOrigin}${callback}`,
      PORT: String(port),
      MACHINE_ID: 'M',
      MACHINE_SECRET: site.clients.M.secret,
      ...(await assertionClient(site, client.assertionCallback && `${clientOrigin}${client.assertionCallback}`)),
      SCIM_URL: `${site.issuer}/scim/v2/enterprise-idps/foreign`,
      SCIM_TOKEN: secret,
      OUTPUT: program.output,
      ...tools?.env,
      ...(client.usesDevice === true && (await television(site))),
      ...(client.forwardsCertificates === true && { CERTIFICATES: await certificatesOfBilling(site) }),
    },
    async onLine(line) {
      const [, verb, rest = ''] = /^(passed|failed|version|visit|post|end|provision) (.*)$/.exec(line) ?? []
      if (verb === 'passed') reported.push({ title: rest })
      if (verb === 'version') version = rest
      if (verb === 'failed') {
        const title = client.checks.find((check) => rest.startsWith(`${check}: `)) ?? rest
        reported.push({ title, failure: rest.slice(title.length + 2) })
      }
      if (verb === 'end') {
        await site.server.endSession(rest)
        return JSON.stringify(await site.server.deliverOnce())
      }
      if (verb === 'provision') {
        const [baseUrl = '', bearerToken = ''] = rest.split(' ')
        reported.push(...(await checkPartner({ baseUrl, bearerToken })))
        return 'done'
      }
      if (verb !== 'visit' && verb !== 'post') return undefined
      const [address = '', form] = rest.split(' ')
      const page = form === undefined ? browser.open(address) : browser.submit(address, new URLSearchParams(form))
      const { url, status: pageStatus, text } = await page
      return JSON.stringify({ url: url.href, status: pageStatus, text })
    },
  })
  await Promise.all([app.close(), site.close(), tools?.close()])
  const refusals = site.events.flatMap((event) => (event.type === 'request.refused' ? [JSON.stringify(event)] : []))
  const verdict = verdictOn(client, reported)
  return {
    ...verdict,
    kind: 'ran',
    version,
    log: [log, 'Refused by the server:', ...refusals].join('\n'),
    problems: status === 0 ? verdict.problems : [...verdict.problems, `the program exited with ${status}`],
  }
}

/** Starts the MCP server of examples/mcp. Users of its tools sign in at an authorization server with these options. */
async function listenForTools() {
  const listener = createServer()
  await new Promise<void>((listening) => listener.listen(0, 'localhost', listening))
  const resource = `http://localhost:${(listener.address() as AddressInfo).port}/mcp`
  const document = {
    client_id: 'https://tool.example/client.json',
    client_name: 'Tool',
    redirect_uris: ['http://localhost/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  }
  return {
    env: { MCP_SERVER: resource, CLIENT_DOCUMENT: document.client_id },
    options: {
      scopes: noteScopes,
      resources: { [resource]: { scopes: Object.keys(noteScopes) } },
      clientDocuments: { allow: '*', scopes: [...Object.keys(noteScopes), 'offline_access'] },
      fetch: () => Promise.resolve(Response.json(document)),
    } as const,
    serve(issuer: string) {
      const notes = createNotesServer({ issuer, resource })
      const answer = async (request: Request) => (await notes(request)) ?? new Response(null, { status: 404 })
      const listen = getRequestListener(answer)
      listener.on('request', (request, response) => void listen(request, response))
    },
    close: () => new Promise((closed) => listener.close(closed)),
  }
}

/** Registers a client for `private_key_jwt` and returns the settings of its program. */
async function assertionClient(
  { storage }: ServerUnderTest,
  redirectUri: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (redirectUri === undefined) return {}
  const pair = await generateKeyPair('RS256', { extractable: true })
  const header = { alg: 'RS256', kid: 'k1' }
  const registration = {
    clientName: 'Assertions',
    tokenEndpointAuthMethod: 'private_key_jwt',
    allowTokenEndpointAudience: true,
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code'],
    scopes: ['openid', 'profile'],
    jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), ...header }] },
  } as const
  const { client } = await registerClient(registration, { storage })
  const key = { ...(await exportJWK(pair.privateKey)), ...header }
  return { JWT_CLIENT_ID: client.clientId, JWT_KEY: JSON.stringify(key) }
}

/** Registers a public client on a device without a browser and returns the settings of its program. */
async function television({ storage }: ServerUnderTest): Promise<Readonly<Record<string, string>>> {
  const { client } = await registerClient(
    {
      clientId: 'television',
      clientName: 'Television',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
      tokenEndpointAuthMethod: 'none',
      redirectUris: [],
      scopes: ['openid', 'profile'],
    },
    { storage },
  )
  return { DEVICE_CLIENT_ID: client.clientId }
}

/** Registers a client that authenticates with its certificate. @returns its certificate and others, as JSON. */
async function certificatesOfBilling({ storage }: ServerUnderTest): Promise<string> {
  await registerClient(
    {
      clientId: 'billing',
      clientName: 'Billing',
      grantTypes: ['client_credentials'],
      scopes: ['api.read'],
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'billing.example.com',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage },
  )
  const billing = { commonName: 'billing', dns: ['billing.example.com'] }
  const authority = await createTestCertificate({ commonName: 'Authority', isAuthority: true })
  const server = await createTestCertificate({ commonName: 'localhost', dns: ['localhost'], signedBy: authority })
  const trusted = await createTestCertificate({ ...billing, signedBy: authority })
  const foreign = await createTestCertificate(billing)
  return JSON.stringify({ authority, server, trusted, foreign })
}

interface ProgramOptions {
  readonly command: Command
  readonly folder: string
  readonly signal: AbortSignal
  readonly env?: Readonly<Record<string, string>>
  /** Gets each line of standard output; the result is written to standard input. */
  readonly onLine?: (line: string) => Promise<string | undefined>
}

/** Runs a program until it exits. When the signal aborts, kills the program and its children. */
function runProgram({
  command: [file, ...args],
  folder,
  signal,
  env,
  onLine,
}: ProgramOptions): Promise<{ readonly status: number | string; readonly log: string }> {
  return new Promise((done) => {
    // `detached` creates a process group, because Maven, Apache and npm start other programs.
    const child = spawn(file, args, { cwd: folder, detached: true, env: { ...process.env, ...env } })
    const written: string[] = []
    const stop = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The group has no running process.
      }
    }
    signal.addEventListener('abort', stop)
    child.stderr.on('data', (chunk: Buffer) => written.push(chunk.toString()))
    createInterface({ input: child.stdout }).on('line', (line) => {
      written.push(`${line}\n`)
      onLine?.(line).then(
        (answer) => answer !== undefined && child.stdin.write(`${answer}\n`),
        (error: unknown) => {
          written.push(`The browser failed: ${String(error)}\n`)
          stop()
        },
      )
    })
    // Writing fails if the program has exited.
    child.stdin.on('error', (error) => written.push(`${error.message}\n`))
    child.on('error', (error) => done({ status: error.message, log: error.message }))
    child.on('close', (status) => {
      signal.removeEventListener('abort', stop)
      stop()
      done({ status: signal.aborted ? 'a time-out' : (status ?? 'a signal'), log: written.join('') })
    })
  })
}

const lastLines = (log: string): string =>
  stripVTControlCharacters(log)
    .trim()
    .split(/\s*\n\s*/)
    .slice(-3)
    .join(' ')
    .slice(0, 300)
