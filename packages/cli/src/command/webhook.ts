import { type Administration, createAdministration } from '@mintmark/admin'
import { Command } from 'commander'

import { openKeyRing } from '../config/key-ring.ts'
import { withAdministration, withStorage } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import { parsePosition } from './options.ts'

type WebhookView = Awaited<ReturnType<Administration['webhooks']['read']>>

type Options = ConfigOptions & ShowOptions

interface CreateOptions extends ConfigOptions, ShowOptions {
  readonly type?: readonly string[]
  readonly includeUser?: true
}

/** Creates `mintmark webhook`, which manages the endpoints to which changes are sent. */
export const webhookCommand = (io: Io): Command =>
  new Command('webhook')
    .description('manages endpoints to which changes of users, groups, memberships, sessions and grants are sent')
    .addCommand(createCommand(io))
    .addCommand(
      withConfig(new Command('list'))
        .description('lists the webhooks')
        .option('--json', 'print JSON')
        .action((options: Options) =>
          withAdministration(options, io, async ({ webhooks }) =>
            showList(await webhooks.list(), columns, { ...options, io }),
          ),
        ),
    )
    .addCommand(
      withConfig(new Command('rotate'))
        .description('adds a secret and prints it; messages are then signed with both secrets')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: Options) =>
          withSealing(options, io, async ({ webhooks }) =>
            showRecord({ secret: await webhooks.addSecret(id) }, { ...options, io, labels }),
          ),
        ),
    )
    .addCommand(
      changeCommand('revoke-secrets', 'revokes all secrets except the newest', io, ({ webhooks }, id) =>
        webhooks.revokePreviousSecrets(id),
      ),
    )
    .addCommand(
      changeCommand(
        'disable',
        'disables a webhook; changes are sent once it is enabled again',
        io,
        ({ webhooks }, id) => webhooks.disable(id),
      ),
    )
    .addCommand(changeCommand('enable', 'enables a disabled webhook', io, ({ webhooks }, id) => webhooks.enable(id)))
    .addCommand(replayCommand(io))
    .addCommand(
      withConfig(new Command('remove'))
        .description('removes a webhook')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: Options) =>
          withAdministration(options, io, async ({ webhooks }) => {
            await webhooks.remove(id)
            showOutcome({ webhookId: id }, { ...options, io, sentence: `Webhook ${id} is removed.` })
          }),
        ),
    )

const createCommand = (io: Io): Command =>
  withConfig(new Command('create'))
    .description('creates a webhook and prints its secret, which cannot be shown again')
    .argument('<url>')
    .option('--type <type...>', 'the changes to send, such as user.changed; default: all')
    .option('--include-user', 'include the user’s current claims in messages about a user')
    .option('--json', 'print JSON')
    .action((url: string, options: CreateOptions) =>
      withSealing(options, io, async ({ webhooks }) => {
        const { type: types, includeUser: includesUser } = options
        const { webhook, secret } = await webhooks.create({ url, types, includesUser })
        showRecord({ webhookId: webhook.webhookId, secret }, { ...options, io, labels })
      }),
    )

const replayCommand = (io: Io): Command =>
  withConfig(new Command('replay'))
    .description('sends all changes after a position again, in order')
    .argument('<id>')
    .option(
      '--after <position>',
      'the position to start after; default: all changes of the last 30 days',
      parsePosition,
      0,
    )
    .option('--json', 'print JSON')
    .action((id: string, options: Options & { readonly after: number }) =>
      withAdministration(options, io, async ({ webhooks }) =>
        showRecord(await webhooks.replay(id, options.after), { ...options, io }),
      ),
    )

// oxlint-disable-next-line max-params -- The calls above read like a table.
const changeCommand = (
  name: string,
  description: string,
  io: Io,
  change: (administration: Administration, id: string) => Promise<WebhookView>,
): Command =>
  withConfig(new Command(name))
    .description(description)
    .argument('<id>')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) =>
      withAdministration(options, io, async (administration) =>
        showRecord(await change(administration, id), { ...options, io }),
      ),
    )

/** Runs work with an administration that has the key ring, because the secrets of webhooks are sealed. */
const withSealing = <T>(
  options: ConfigOptions,
  io: Io,
  work: (administration: Administration) => Promise<T>,
): Promise<T> =>
  withStorage(options, io, async ({ storage, settings }) => {
    const keys = await openKeyRing(storage, settings, io)
    return work(createAdministration({ storage, clock: io.clock, keys }).as({ kind: 'host', id: `cli:${io.operator}` }))
  })

const columns: Columns<WebhookView> = {
  id: ({ webhookId }) => webhookId,
  url: ({ url }) => url,
  types: ({ types }) => (types.length === 0 ? 'all' : types.join(' ')),
  secrets: ({ secretCount }) => `${secretCount}`,
  disabled: ({ disabledAt }) => instant(disabledAt),
  created: ({ createdAt }) => instant(createdAt),
}

const labels = { webhookId: 'id', secret: 'secret (shown only now)' }
