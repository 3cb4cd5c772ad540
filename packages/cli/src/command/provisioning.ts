import { type Administration, createAdministration } from '@mintmark/admin'
import { createProvisioning, type ComparisonReport, type ProvisioningTarget } from '@mintmark/provisioning'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { openKeyRing } from '../config/key-ring.ts'
import { withStorage } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import { columns as deliveryColumns } from './delivery.ts'
import { showPage, withPage, type PageOptions } from './options.ts'

type Options = ConfigOptions & ShowOptions

type Targets = Administration['targets']

interface CredentialOptions extends Options {
  readonly tokenEndpoint?: string
  readonly clientId?: string
  readonly tokenScope?: string
}

interface CreateOptions extends CredentialOptions {
  readonly name: string
  readonly provider?: readonly string[]
  readonly hostUsers?: true
  readonly onRemoval?: 'deactivate' | 'delete'
  readonly adopt?: true
}

/** Creates `mintmark provisioning`, which manages the partners that get users and groups. */
export const provisioningCommand = (io: Io): Command =>
  new Command('provisioning')
    .description('manages partners whose SCIM services get users and groups')
    .addCommand(createCommand(io))
    .addCommand(
      withConfig(new Command('list'))
        .description('lists the partners')
        .option('--json', 'print JSON')
        .action((options: Options) =>
          withTargets(options, io, async (targets) => showList(await targets.list(), columns, { ...options, io })),
        ),
    )
    .addCommand(compareCommand(io))
    .addCommand(
      targetCommand('synchronize', 'sends everything that the partner does not have, or has otherwise', io, {
        run: (targets, id) => targets.synchronize(id),
      }),
    )
    .addCommand(
      targetCommand('enable', 'enables a partner: changes are sent from now on', io, {
        run: (targets, id) => targets.enable(id),
      }),
    )
    .addCommand(
      targetCommand('disable', 'pauses a partner; changes are sent once it is enabled again', io, {
        run: (targets, id) => targets.disable(id),
      }),
    )
    .addCommand(failuresCommand(io))
    .addCommand(replaceCredentialCommand(io))
    .addCommand(removeCommand(io))

const failuresCommand = (io: Io): Command =>
  withPage(withConfig(new Command('failures')))
    .description('lists the messages to a partner that were abandoned; see also mintmark delivery requeue')
    .argument('<id>')
    .action((id: string, options: PageOptions) =>
      withTargets(options, io, async (targets) => {
        const { limit, after } = options
        showPage(await targets.failures(id, { limit, after }), deliveryColumns, { ...options, io })
      }),
    )

const replaceCredentialCommand = (io: Io): Command =>
  withCredential(withConfig(new Command('replace-credential')))
    .description('replaces the credential for a partner')
    .argument('<id>')
    .action((id: string, options: CredentialOptions) =>
      withTargets(options, io, async (targets) => {
        await targets.replaceCredential(id, readCredential(options, io))
        showOutcome({ targetId: id }, { ...options, io, sentence: `The credential for ${id} is replaced.` })
      }),
    )

const removeCommand = (io: Io): Command =>
  withConfig(new Command('remove'))
    .description('removes a partner; what it has stays there')
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      withTargets(options, io, async (targets) => {
        await targets.remove(id)
        showOutcome({ targetId: id }, { ...options, io, sentence: `Partner ${id} is removed.` })
      }),
    )

const createCommand = (io: Io): Command =>
  withCredential(withConfig(new Command('create')))
    .description('creates a partner, which is disabled: compare, then enable and synchronize')
    .argument('<id>', 'at most 64 letters, digits and hyphens')
    .argument('<url>', 'the address to which /Users is appended')
    .requiredOption('--name <name>', 'the name that administrators see')
    .option('--provider <ids...>', 'the identity providers whose users and groups the partner gets')
    .option('--host-users', 'the partner also gets users without an identity provider')
    .addOption(
      new Option('--on-removal <action>', 'what happens to the partner’s user; default: deactivate').choices([
        'deactivate',
        'delete',
      ]),
    )
    .option('--adopt', 'accounts with the same userName and no externalId become ours')
    .action((targetId: string, baseUrl: string, options: CreateOptions) =>
      withTargets(options, io, async (targets) => {
        const { name: displayName, provider: providerIds = [], hostUsers, onRemoval, adopt } = options
        const created = await targets.create({
          targetId,
          baseUrl,
          displayName,
          providerIds,
          includesHostUsers: hostUsers === true,
          adoptsExisting: adopt === true,
          ...(onRemoval && { onRemoval }),
          credential: readCredential(options, io),
        })
        showRecord(created, { ...options, io })
      }),
    )

const compareCommand = (io: Io): Command =>
  withConfig(new Command('compare'))
    .description('compares users and groups with what a partner has, and changes nothing')
    .argument('<id>')
    .option('--json', 'print JSON, with the requests that would be sent')
    .action((id: string, options: Options) =>
      withTargets(options, io, async (targets) => {
        const report = await targets.compare(id)
        io.err(
          'This compares the standard attributes. If the server has the option render, compare with its administration API.',
        )
        if (options.json === true) return io.out(JSON.stringify(report, undefined, 2))
        const { users, groups, divergences } = report
        io.out(`${users} users, ${groups} groups, ${divergences.length} differences`)
        if (divergences.length > 0) showList(divergences, divergenceColumns, { io })
      }),
    )

// oxlint-disable-next-line max-params -- The calls above read like a table.
const targetCommand = (
  name: string,
  description: string,
  io: Io,
  { run }: { readonly run: (targets: Targets, id: string) => Promise<object> },
): Command =>
  withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      withTargets(options, io, async (targets) => showRecord(await run(targets, id), { ...options, io })),
    )

const withCredential = (command: Command): Command =>
  command
    .option(
      '--token-endpoint <url>',
      'where the partner issues access tokens; without it, MINTMARK_PARTNER_SECRET is a bearer token',
    )
    .option('--client-id <id>', 'the client at the token endpoint')
    .option('--token-scope <scope>', 'the scope of the access token')
    .option('--json', 'print JSON')

/** The secret is never an argument, because other users of the machine can see arguments. */
function readCredential({ tokenEndpoint, clientId, tokenScope: scope }: CredentialOptions, { env }: Io) {
  const secret = env['MINTMARK_PARTNER_SECRET']
  if (!secret) throw new UsageError('No credential is given. Set MINTMARK_PARTNER_SECRET.')
  if (tokenEndpoint === undefined && clientId === undefined && scope === undefined) return { bearerToken: secret }
  if (tokenEndpoint === undefined || clientId === undefined)
    throw new UsageError('Client credentials need both --token-endpoint and --client-id.')
  return { tokenEndpoint, clientId, clientSecret: secret, ...(scope !== undefined && { scope }) }
}

/** Runs work with an administration that has the key ring, because it seals the credentials of partners. */
const withTargets = <T>(options: ConfigOptions, io: Io, work: (targets: Targets) => Promise<T>): Promise<T> =>
  withStorage(options, io, async ({ storage, settings }) => {
    const keys = await openKeyRing(storage, settings, io)
    const provisioning = createProvisioning({ storage, keys, clock: io.clock })
    const administrations = createAdministration({ storage, clock: io.clock, provisioning })
    return work(administrations.as({ kind: 'host', id: `cli:${io.operator}` }).targets)
  })

const columns: Columns<ProvisioningTarget> = {
  id: ({ targetId }) => targetId,
  name: ({ displayName }) => displayName,
  url: ({ baseUrl }) => baseUrl,
  providers: ({ providerIds, includesHostUsers }) =>
    [...providerIds, ...(includesHostUsers ? ['(users of the host)'] : [])].join(' '),
  disabled: ({ disabledAt }) => instant(disabledAt),
  created: ({ createdAt }) => instant(createdAt),
}

const divergenceColumns: Columns<ComparisonReport['divergences'][number]> = {
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  name: ({ name }) => name,
  id: ({ localId }) => localId ?? '-',
  'partner’s id': ({ remoteId }) => remoteId ?? '-',
  requests: ({ requests }) => `${requests.length}`,
}
