import { resolve } from 'node:path'

import type { ClientRegistration } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { withAdministration } from '../place/administration.ts'
import { withConfig, type ConfigOptions } from '../place/place-options.ts'
import { readSecretFile } from '../place/sealing-key.ts'
import { showThing, type ShowOptions } from '../show.ts'

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

/** `mintmark client create`: prints the secret, this one time. */
export const createClientCommand = (io: Io): Command =>
  withConfig(new Command('create'))
    .description('registers a client and prints its secret, this one time')
    .argument('<name>', 'shown to people on the consent page')
    .option('--id <id>', 'the client_id; default: random')
    .addOption(
      new Option('--auth <method>', 'how it proves who it is; none makes it a public client')
        .choices(authMethods)
        .default('client_secret_basic'),
    )
    .option('--redirect-uri <uri...>', 'where people are sent back to')
    .option('--grant <type...>', 'default: authorization_code')
    .option('--scope <scope...>', 'what it may ask for; default: openid')
    .option('--audience <audience...>', 'whose resource server it is: it may introspect their tokens')
    .option('--jwks-uri <url>', 'where it publishes its keys, for private_key_jwt')
    .option('--jwks-file <file>', 'its public keys as a JWK set, for private_key_jwt')
    .option('--json', 'print JSON')
    .action((name: string, options: CreateOptions) =>
      withAdministration(options, io, async ({ clients }) => {
        const { client, clientSecret } = await clients.create(await registration(name, options, io))
        showThing({ clientId: client.clientId, clientSecret }, { ...options, io, labels: credentialLabels })
      }),
    )

/** As the client's own configuration calls them (RFC 6749 §2.3.1). */
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
    // What is no JSON is no key set either: it is refused below.
  }
  throw new UsageError(`${file} holds no JWK set.`)
}

const authMethods: readonly AuthMethod[] = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']
