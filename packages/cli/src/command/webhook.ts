import { type Administration, createAdministration } from '@mintmark/admin'
import { Command } from 'commander'

import { openKeyRing } from '../config/key-ring.ts'
import { withAdministration, withStorage } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, showThing, type Columns, type ShowOptions } from '../show.ts'
import { parseSeconds } from './options.ts'

type WebhookView = Awaited<ReturnType<Administration['webhooks']['read']>>

type Options = ConfigOptions & ShowOptions

interface CreateOptions extends ConfigOptions, ShowOptions {
  readonly type?: readonly string[]
  readonly includeUser?: true
}

/** `mintmark webhook`: endpoints that receive changes of users, groups, sessions and grants. */
export const webhookCommand = (io: Io): Command =>
  new Command('webhook')
    .description('endpoints that receive changes of users, groups, memberships, sessions and grants')
    .addCommand(
      withConfig(new Command('create'))
        .description('creates a webhook and prints its secret, which cannot be shown again')
        .argument('<url>')
        .option('--type <type...>', 'such as user.changed; default: all')
        .option('--include-user', 'messages about a user have its claims as they are when the message is sent')
        .option('--json', 'print JSON')
        .action((url: string, options: CreateOptions) =>
          withSealing(options, io, async ({ webhooks }) => {
            const { type: types, includeUser: includesUser } = options
            const { webhook, secret } = await webhooks.create({ url, types, includesUser })
            showThing({ webhookId: webhook.webhookId, secret }, { ...options, io, labels })
          }),
        ),
    )
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
        .description('adds a secret and prints it; messages are signed with both')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: Options) =>
          withSealing(options, io, async ({ webhooks }) =>
            showThing({ secret: await webhooks.addSecret(id) }, { ...options, io, labels }),
          ),
        ),
    )
    .addCommand(
      changeCommand('revoke-secrets', 'revokes the secret before the newest', io, ({ webhooks }, id) =>
        webhooks.revokePreviousSecrets(id),
      ),
    )
    .addCommand(
      changeCommand('disable', 'its messages wait, for a day', io, ({ webhooks }, id) => webhooks.disable(id)),
    )
    .addCommand(changeCommand('enable', 'sends its messages again', io, ({ webhooks }, id) => webhooks.enable(id)))
    .addCommand(
      withConfig(new Command('replay'))
        .description('sends all changes after a position again, in order')
        .argument('<id>')
        .option('--after <position>', 'default: all that are kept, which are those of 30 days', parseSeconds, 0)
        .option('--json', 'print JSON')
        .action((id: string, options: Options & { readonly after: number }) =>
          withAdministration(options, io, async ({ webhooks }) =>
            showThing(await webhooks.replay(id, options.after), { ...options, io }),
          ),
        ),
    )
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

// oxlint-disable-next-line max-params -- a table of commands reads better
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
        showThing(await change(administration, id), { ...options, io }),
      ),
    )

/** Administers with the sealing key, which seals secrets. */
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
