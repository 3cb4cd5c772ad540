import type { Administration } from '@mintmark/admin'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, type Columns, type ShowOptions } from '../show.ts'

type GrantView = Awaited<ReturnType<Administration['grants']['listOfUser']>>[number]

type ListOptions = ConfigOptions & ShowOptions & { readonly user?: string; readonly client?: string }

type RevokeOptions = ConfigOptions & ShowOptions & { readonly user: string; readonly grant?: string }

/** Creates `mintmark grant`, which manages the consent of users to clients. */
export const grantCommand = (io: Io): Command =>
  new Command('grant')
    .description('manages the consent of users to applications')
    .addCommand(
      withConfig(new Command('list'))
        .description('lists the grants of a user or of a client, with their scope values and APIs')
        .addOption(new Option('--user <id>', "the user's id: the sub in the user's tokens").conflicts('client'))
        .option('--client <id>', 'the client_id')
        .option('--json', 'print JSON')
        .action((options: ListOptions) => listGrants(options, io)),
    )
    .addCommand(
      withConfig(new Command('revoke'))
        .description('revokes one grant of a user or all of them, and everything issued under them')
        .requiredOption('--user <id>', "the user's id: the sub in the user's tokens")
        .option('--grant <id>', 'the identifier of a grant, as shown by `list`; default: all grants')
        .option('--json', 'print JSON')
        .action((options: RevokeOptions) => revokeGrants(options, io)),
    )

function listGrants({ user, client, ...options }: ListOptions, io: Io): Promise<void> {
  const show = { ...options, io }
  if (user !== undefined)
    return withAdministration(options, io, async ({ grants }) => showList(await grants.listOfUser(user), columns, show))
  if (client === undefined) throw new UsageError('Specify whose grants to list: --user ID or --client ID.')
  return withAdministration(options, io, async ({ grants }) => {
    const found: GrantView[] = []
    let after: string | undefined
    do {
      const page = await grants.listOfClient(client, after === undefined ? {} : { after })
      found.push(...page.items)
      after = page.next
    } while (after !== undefined)
    showList(found, columns, show)
  })
}

function revokeGrants({ user, grant, ...options }: RevokeOptions, io: Io): Promise<void> {
  return withAdministration(options, io, async ({ grants }) => {
    if (grant === undefined) {
      const count = await grants.revokeAllOfUser(user)
      const sentence = `Revoked ${count} ${count === 1 ? 'grant' : 'grants'} of user ${user}.`
      return showOutcome({ userId: user, count }, { ...options, io, sentence })
    }
    await grants.revoke({ userId: user, grantId: grant })
    showOutcome({ userId: user, grantId: grant }, { ...options, io, sentence: `Grant ${grant} is revoked.` })
  })
}

const columns: Columns<GrantView> = {
  id: ({ grantId }) => grantId,
  user: ({ userId }) => userId,
  client: ({ clientId }) => clientId,
  scope: ({ scopes }) => scopes.join(' '),
  resources: ({ resources }) => resources.join(' '),
  created: ({ createdAt }) => instant(createdAt),
  honoured: ({ honoured }) => (honoured ? 'yes' : 'no'),
}
