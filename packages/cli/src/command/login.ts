import { chmod, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { Command } from 'commander'

import { CommandError, UsageError } from '../command-error.ts'
import { checkIssuer } from '../config/settings.ts'
import { type DeviceEndpoints, type DeviceTokens, pollForTokens, requestCode } from '../login/device-flow.ts'
import { discoveryUrls } from '../doctor/check-discovery.ts'
import { createProbe, type Probe } from '../doctor/target.ts'
import type { Io } from '../io.ts'
import { printable } from '../show.ts'

interface LoginOptions {
  readonly client: string
  readonly scope: string
  readonly resource?: string
  readonly save?: string
  readonly json?: true
}

/**
 * Creates `mintmark login`, which signs in a user at any issuer that supports the device authorization grant (RFC 8628). It
 * keeps no token unless an option says where.
 */
export const loginCommand = (io: Io): Command =>
  new Command('login')
    .description('signs in with a code that you approve in a browser; shows whether an issuer accepts a client')
    .argument('<url>', 'the issuer; any server with the device authorization grant (RFC 8628)')
    .requiredOption('--client <id>', 'a public client that is registered for the device authorization grant')
    .option('--scope <scope>', 'the scope values', 'openid')
    .option('--resource <uri>', 'the API that the tokens are for')
    .option('--save <file>', 'writes the tokens to a file that only you can read')
    .option('--json', 'print the tokens as JSON; without it and without --save they are not kept')
    .action((url: string, options: LoginOptions) => login(url, options, io))

async function login(url: string, options: LoginOptions, io: Io): Promise<void> {
  const issuer = checkIssuer(url)
  const { client, scope, resource } = options
  const probe = createProbe(io.fetch)
  const endpoints = await discover(issuer, probe)
  const request = { client_id: client, scope, ...(resource !== undefined && { resource }) }
  const code = await requestCode(request, endpoints, probe)
  io.err(`Open ${printable(code.verificationUri)} and enter the code ${printable(code.userCode)}`)
  if (code.verificationUriComplete !== undefined) io.err(`or open ${printable(code.verificationUriComplete)}`)
  io.err(`The code is valid for ${Math.ceil(code.expiresIn / 60)} minutes. Waiting …`)

  const tokens = await pollForTokens({ code, clientId: client }, endpoints, { probe, io })
  if (options.save !== undefined) await save(tokens, options.save, io)
  if (options.json === true) return io.out(JSON.stringify(tokens, undefined, 2))
  const subject = subjectOf(tokens)
  io.out(`Signed in${subject === undefined ? '' : ` as ${printable(subject)}`}${grantedText(tokens)}.`)
  if (options.save !== undefined) io.out(`Wrote ${options.save}: it contains tokens, and only you can read it.`)
  else io.out('The tokens were not kept: use --save FILE, or --json.')
}

/**
 * Reads where the issuer takes the requests of devices (RFC 8628 §4).
 * @throws CommandError when it does not answer, names another issuer, or does not support devices.
 */
async function discover(issuer: string, probe: Probe): Promise<DeviceEndpoints> {
  const urls = discoveryUrls(issuer)
  const metadata = (await probe(urls.openid))?.json ?? (await probe(urls.oauth))?.json
  if (metadata === undefined) throw new CommandError(`${issuer} does not answer with its metadata.`)
  // RFC 8414 §3.3: metadata of another issuer may belong to an attacker.
  if (metadata['issuer'] !== issuer)
    throw new CommandError(`${issuer} names another issuer: ${printable(String(metadata['issuer']))}.`)
  const { device_authorization_endpoint: deviceEndpoint, token_endpoint: tokenEndpoint } = metadata
  if (!isEndpoint(deviceEndpoint) || !isEndpoint(tokenEndpoint))
    throw new CommandError(`${issuer} does not support the device authorization grant.`)
  return { deviceEndpoint, tokenEndpoint }
}

/** RFC 6749 §3.2: TLS, except on this machine. */
const isEndpoint = (url: unknown): url is string =>
  typeof url === 'string' && /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/])/.test(url)

/** Creates the file, so that no other program can have opened it before its mode was set. */
async function save(tokens: DeviceTokens, file: string, io: Io): Promise<void> {
  const path = resolve(io.cwd, file)
  try {
    await writeFile(path, `${JSON.stringify(tokens, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 })
    await chmod(path, 0o600)
  } catch (cause) {
    throw new UsageError(`${file} cannot be created, or it exists already. Choose another file.`, { cause })
  }
}

/** OIDC Core §3.1.3.7: the token endpoint sent the ID token over TLS, so the signature need not be verified to show a name. */
function subjectOf({ id_token: idToken }: DeviceTokens): string | undefined {
  if (typeof idToken !== 'string') return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())
    const subject = typeof claims === 'object' && claims !== null && 'sub' in claims ? claims.sub : undefined
    return typeof subject === 'string' ? subject : undefined
  } catch {
    return undefined
  }
}

const grantedText = ({ scope }: DeviceTokens): string =>
  typeof scope === 'string' && scope !== '' ? `, with ${printable(scope)}` : ''
