import { resolve } from 'node:path'

import type { Administration, ClientView } from '@mintmark/admin'
import { type ClientRegistration } from '@mintmark/core'
import { type MetadataRule, clientMetadata } from '@mintmark/core/internal'
import { misspelledNameOf } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { readTrimmedFile } from '../config/key-ring.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import {
  parseSeconds,
  showPage,
  withPage,
  previousExpiry,
  withAddSecretFlags,
  type PageOptions,
  type AddSecretOptions,
} from './options.ts'

/** Creates `mintmark client`, which manages the applications that request tokens. */
export const clientCommand = (io: Io): Command =>
  new Command('client')
    .description('manages the applications that request tokens')
    .addCommand(createClientCommand(io))
    .addCommand(updateClientCommand(io))
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
        .description('shows a client, with the creation and expiry times of its secrets')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ clients }) =>
            showRecord(await clients.read(id), { ...options, io }),
          ),
        ),
    )
    .addCommand(switchCommand('disable', 'refuses the requests and tokens of the client from now on', io))
    .addCommand(switchCommand('enable', 'enables a disabled client', io))
    .addCommand(secretCommand(io))

function switchCommand(name: 'disable' | 'enable', description: string, io: Io): Command {
  return withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: ConfigOptions & ShowOptions) =>
      withAdministration(options, io, async ({ clients }) =>
        showOutcome(await clients[name]({ clientId: id }), { ...options, io, sentence: `Client ${id} is ${name}d.` }),
      ),
    )
}

const secretCommand = (io: Io): Command =>
  new Command('secret')
    .description('manages the secrets of a client: two can be active at the same time')
    .addCommand(
      withAddSecretFlags(withConfig(new Command('rotate')))
        .description('adds a secret and prints it; it cannot be shown again')
        .argument('<id>')
        .action((id: string, options: AddSecretOptions) =>
          withAdministration(options, io, ({ clients }) => rotateSecret(id, clients, { ...options, io })),
        ),
    )
    .addCommand(
      withConfig(new Command('revoke'))
        .description('revokes all secrets of the client except the newest')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ clients }) => {
            await clients.revokePreviousSecrets(id)
            const sentence = `All secrets of client ${id} except the newest are revoked.`
            showOutcome({ clientId: id }, { ...options, io, sentence })
          }),
        ),
    )

async function rotateSecret(
  id: string,
  clients: Administration['clients'],
  options: AddSecretOptions & { readonly io: Io },
): Promise<void> {
  const clientSecret = await clients.addSecret(id, previousExpiry(options))
  showRecord({ clientId: id, clientSecret }, { ...options, labels: credentialLabels })
  if (options.previousEndsIn === undefined)
    options.io.err(`The previous secret works until you run: mintmark client secret revoke ${id}`)
}

const columns: Columns<ClientView> = {
  id: ({ clientId }) => clientId,
  name: ({ clientName }) => clientName,
  authentication: ({ tokenEndpointAuthMethod }) => tokenEndpointAuthMethod,
  grants: ({ grantTypes }) => grantTypes.join(' '),
  origin: ({ origin }) => origin,
  created: ({ createdAt }) => instant(createdAt),
  disabled: ({ disabledAt }) => instant(disabledAt),
}

interface CreateOptions extends ConfigOptions, ShowOptions {
  readonly id?: string
}

/** Creates `mintmark client create`, which registers a client and prints its secret. */
function createClientCommand(io: Io): Command {
  const command = withConfig(new Command('create'))
    .description('registers a client and prints its secret; it cannot be shown again')
    .argument('<name>', clientMetadata.clientName.description)
    .option('--id <id>', 'the client_id; default: random')
  for (const flag of metadataFlags.filter(({ name }) => name !== 'clientName'))
    command.addOption(optionOf(flag, defaultText(flag.rule.default)))
  return command.option('--json', 'print JSON').action((name: string, options: CreateOptions) =>
    withAdministration(options, io, async ({ clients }) => {
      const registration = {
        // The flags and the type of a registration both derive from the metadata table, so the cast is safe.
        ...((await metadataOf(options, io)) as Partial<ClientRegistration>),
        clientName: name,
        ...(options.id !== undefined && { clientId: options.id }),
      }
      const { client, clientSecret } = await clients.create(registration)
      showRecord({ clientId: client.clientId, clientSecret }, { ...options, io, labels: credentialLabels })
      if (options.json !== true) warnOfMisspelledScopes(client.scopes, io)
    }),
  )
}

/** The command does not know the option `scopes` of the server, but each server has the scope values of OpenID Connect. */
function warnOfMisspelledScopes(scopes: readonly string[], io: Io): void {
  for (const scope of scopes.filter((name) => !standardScopes.includes(name))) {
    const meant = misspelledNameOf(scope, standardScopes)
    if (meant !== undefined) io.err(`Did you mean the scope ${meant}? The client is registered for ${scope}.`)
  }
}

/** OIDC Core §5.4, §11. */
const standardScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']

/** Creates `mintmark client update`, which changes the metadata of a client. */
function updateClientCommand(io: Io): Command {
  const command = withConfig(new Command('update'))
    .description(
      'changes a client: the given metadata replaces the present, and an empty value removes it; prints a new secret if the client needs one',
    )
    .argument('<id>')
  for (const flag of metadataFlags) {
    const { values, presence, kind } = flag.rule
    const isRemovable = values !== undefined && presence === 'clearable'
    command.addOption(optionOf(isRemovable ? { ...flag, rule: { ...flag.rule, values: [...values, ''] } } : flag))
    if (kind === 'boolean') command.addOption(new Option(`--no-${flag.flag}`, `the opposite of --${flag.flag}`))
  }
  return command.option('--json', 'print JSON').action((id: string, options: ConfigOptions & ShowOptions) =>
    withAdministration(options, io, async ({ clients }) => {
      const change = await metadataOf(options, io)
      if (Object.keys(change).length === 0) throw new UsageError('Say what to change, such as --scope openid email.')
      const { client, clientSecret } = await clients.update({ clientId: id }, change)
      if (options.json !== true) warnOfMisspelledScopes(client.scopes, io)
      if (clientSecret === undefined)
        return showOutcome(client, { ...options, io, sentence: `Client ${id} is changed.` })
      showRecord({ clientId: id, clientSecret }, { ...options, io, labels: credentialLabels })
    }),
  )
}

interface MetadataFlag {
  readonly name: string
  readonly rule: MetadataRule
  /** The flag without its dashes. */
  readonly flag: string
}

/** Flags whose name is not the kebab-case form of the member's name. */
const flagNames: Readonly<Record<string, string>> = {
  clientName: 'name',
  tokenEndpointAuthMethod: 'auth',
  redirectUris: 'redirect-uri',
  grantTypes: 'grant',
  scopes: 'scope',
  servedAudiences: 'audience',
  jwks: 'jwks-file',
  workload: 'workload-file',
  crossAppAudiences: 'cross-app-file',
}

/** The flags: one for each member of the metadata table. */
const metadataFlags: readonly MetadataFlag[] = Object.entries(clientMetadata).map(([name, rule]) => ({
  name,
  rule,
  flag: flagNames[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
}))

function optionOf({ rule: { kind, description, values }, flag }: MetadataFlag, more = ''): Option {
  const option = new Option(`--${flag}${argumentOf(flag, kind)}`, description + more)
  if (kind === 'seconds') option.argParser((text) => (text === '' ? text : parseSeconds(text)))
  return values === undefined ? option : option.choices(values)
}

function argumentOf(flag: string, kind: MetadataRule['kind']): string {
  if (kind === 'boolean') return ''
  if (kind === 'strings') return ` <${flag}...>`
  return kind === 'object' ? ' <file>' : ` <${kind}>`
}

function defaultText(value: MetadataRule['default']): string {
  const text = Array.isArray(value) ? value.join(' ') : value
  return typeof text === 'string' && text !== '' ? `; default: ${text}` : ''
}

/** Returns the metadata that flags give, by the names of the metadata table. An empty value is undefined. */
async function metadataOf(options: object, io: Io): Promise<Readonly<Record<string, unknown>>> {
  const flagValues = new Map<string, unknown>(Object.entries(options))
  const metadata = new Map<string, unknown>()
  for (const { name, rule, flag } of metadataFlags) {
    const value = flagValues.get(flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    if (value !== undefined) metadata.set(name, await memberOf(value, rule, io))
  }
  return Object.fromEntries(metadata)
}

async function memberOf(value: unknown, { kind, presence }: MetadataRule, io: Io): Promise<unknown> {
  if (value === '') return undefined
  if (Array.isArray(value) && value.length === 1 && value[0] === '') return presence === 'clearable' ? undefined : []
  return kind === 'object' && typeof value === 'string' ? readObject(resolve(io.cwd, value)) : value
}

/** The names under which most client configurations expect the credentials (RFC 6749 §2.3.1). */
const credentialLabels = { clientId: 'client_id', clientSecret: 'client_secret' }

async function readObject(file: string): Promise<JsonObject> {
  const text = await readTrimmedFile(file)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Text that is not JSON is refused below.
  }
  throw new UsageError(`${file} does not contain a JSON object.`)
}
