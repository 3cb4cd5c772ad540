import { resolve } from 'node:path'

import type { Administration, ClientView } from '@mintmark/admin'
import type { ClientRegistration } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { readSecretFile } from '../config/key-ring.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showThing, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, previousExpiry, withOverlap, type PageOptions, type OverlapOptions } from './options.ts'

/** `mintmark client`: the applications that request tokens. */
export const clientCommand = (io: Io): Command =>
  new Command('client')
    .description('the applications that request tokens')
    .addCommand(createClientCommand(io))
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the clients')
        .action((options: PageOptions) =>
          withAdministration(options, io, async ({ clients }) => {
            const { limit, after } = options
            showPage(await clients.list({ limit, after }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('show'))
        .description('shows a client, with the times of its secrets')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ clients }) => showThing(await clients.read(id), { ...options, io })),
        ),
    )
    .addCommand(switchCommand('disable', 'refuses the requests and tokens of the client from now on', io))
    .addCommand(switchCommand('enable', 'enables a disabled client', io))
    .addCommand(secretCommand(io))

function switchCommand(name: 'disable' | 'enable', description: string, io: Io): Command {
  return withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .action((id: string, options: ConfigOptions) =>
      withAdministration(options, io, async ({ clients }) => {
        await clients[name]({ clientId: id })
        io.out(`Client ${id} is ${name}d.`)
      }),
    )
}

const secretCommand = (io: Io): Command =>
  new Command('secret')
    .description('the secrets of a client: two can be active at the same time')
    .addCommand(
      withOverlap(withConfig(new Command('rotate')))
        .description('adds a secret and prints it; it cannot be shown again')
        .argument('<id>')
        .action((id: string, options: OverlapOptions) =>
          withAdministration(options, io, ({ clients }) => rotateSecret(id, clients, { ...options, io })),
        ),
    )
    .addCommand(
      withConfig(new Command('end'))
        .description('revokes all secrets of the client but the newest, at once')
        .argument('<id>')
        .action((id: string, options: ConfigOptions) =>
          withAdministration(options, io, async ({ clients }) => {
            await clients.revokePreviousSecrets(id)
            io.out(`Client ${id} has only its newest secret now.`)
          }),
        ),
    )

async function rotateSecret(
  id: string,
  clients: Administration['clients'],
  options: OverlapOptions & { readonly io: Io },
): Promise<void> {
  const clientSecret = await clients.addSecret(id, previousExpiry(options))
  showThing({ clientId: id, clientSecret }, { ...options, labels: credentialLabels })
  if (options.previousEndsIn === undefined)
    options.io.err(`The previous secret works until you run: mintmark client secret end ${id}`)
}

const columns: Columns<ClientView> = {
  id: ({ clientId }) => clientId,
  name: ({ clientName }) => clientName,
  authentication: ({ tokenEndpointAuthMethod }) => tokenEndpointAuthMethod,
  grants: ({ grantTypes }) => grantTypes.join(' '),
  created: ({ createdAt }) => instant(createdAt),
  disabled: ({ disabledAt }) => instant(disabledAt),
}

type AuthMethod = NonNullable<ClientRegistration['tokenEndpointAuthMethod']>

interface CreateOptions extends ConfigOptions, ShowOptions {
  readonly id?: string
  readonly auth: AuthMethod
  readonly redirectUri?: readonly string[]
  readonly grant?: readonly string[]
  readonly scope?: readonly string[]
  readonly audience?: readonly string[]
  readonly jwksUri?: string
  readonly jwksFile?: string
}

/** `mintmark client create`: registers a client and prints its secret. */
export const createClientCommand = (io: Io): Command =>
  withConfig(new Command('create'))
    .description('registers a client and prints its secret; it cannot be shown again')
    .argument('<name>', 'shown to users on the consent page')
    .option('--id <id>', 'the client_id; default: random')
    .addOption(
      new Option('--auth <method>', 'how it authenticates; none makes it a public client')
        .choices(authMethods)
        .default('client_secret_basic'),
    )
    .option('--redirect-uri <uri...>', 'where users return to after signing in')
    .option('--grant <type...>', 'default: authorization_code')
    .option('--scope <scope...>', 'the scope values that it may request; default: openid')
    .option('--audience <audience...>', 'the audiences whose tokens it may introspect, as their resource server')
    .option('--jwks-uri <url>', 'the address of its public keys, for private_key_jwt')
    .option('--jwks-file <file>', 'its public keys as a JWK set, for private_key_jwt')
    .option('--json', 'print JSON')
    .action((name: string, options: CreateOptions) =>
      withAdministration(options, io, async ({ clients }) => {
        const { client, clientSecret } = await clients.create(await registration(name, options, io))
        showThing({ clientId: client.clientId, clientSecret }, { ...options, io, labels: credentialLabels })
      }),
    )

/** The names that clients use in their configuration (RFC 6749 §2.3.1). */
export const credentialLabels = { clientId: 'client_id', clientSecret: 'client_secret' }

async function registration(name: string, options: CreateOptions, io: Io): Promise<ClientRegistration> {
  const { id, redirectUri, grant, scope, audience, jwksUri, jwksFile } = options
  return {
    clientName: name,
    tokenEndpointAuthMethod: options.auth,
    ...(id !== undefined && { clientId: id }),
    ...(redirectUri && { redirectUris: redirectUri }),
    ...(grant && { grantTypes: grant }),
    ...(scope && { scopes: scope }),
    ...(audience && { servedAudiences: audience }),
    ...(jwksUri !== undefined && { jwksUri }),
    ...(jwksFile !== undefined && { jwks: await readKeySet(resolve(io.cwd, jwksFile)) }),
  }
}

async function readKeySet(file: string): Promise<JsonObject> {
  const text = await readSecretFile(file)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Text that is not JSON is refused below.
  }
  throw new UsageError(`${file} does not contain a JWK set.`)
}

const authMethods: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']
