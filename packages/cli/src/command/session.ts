import type { Administration } from '@mintmark/admin'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, type Columns, type ShowOptions } from '../show.ts'

type SessionView = Awaited<ReturnType<Administration['sessions']['listOfUser']>>[number]

type ListOptions = ConfigOptions & ShowOptions & { readonly user: string }

type EndOptions = ConfigOptions & ShowOptions & { readonly user?: string; readonly session?: string }

/** Creates `mintmark session`, which manages the browsers in which users are signed in. */
export const sessionCommand = (io: Io): Command =>
  new Command('session')
    .description('manages the browsers in which users are signed in')
    .addCommand(
      withConfig(new Command('list'))
        .description('lists the sessions of a user, newest first')
        .requiredOption('--user <id>', "the user's id: the sub in the user's tokens")
        .option('--json', 'print JSON')
        .action((options: ListOptions) =>
          withAdministration(options, io, async ({ sessions }) =>
            showList(await sessions.listOfUser(options.user), columns, { ...options, io }),
          ),
        ),
    )
    .addCommand(
      withConfig(new Command('end'))
        .description('signs a user out in one browser, or in all')
        .addOption(new Option('--session <id>', 'one session: the sid of its ID tokens').conflicts('user'))
        .option('--user <id>', 'all sessions of this user')
        .option('--json', 'print JSON')
        .action((options: EndOptions) => endSessions(options, io)),
    )

function endSessions({ user, session, ...options }: EndOptions, io: Io): Promise<void> {
  if (session !== undefined)
    return withAdministration(options, io, async ({ sessions }) => {
      await sessions.revoke({ sessionId: session })
      showOutcome({ sessionId: session }, { ...options, io, sentence: `Session ${session} has ended.` })
    })
  if (user === undefined) throw new UsageError('Specify which sessions to end: --session ID or --user ID.')
  return withAdministration(options, io, async ({ sessions }) => {
    const count = await sessions.revokeAllOfUser(user)
    const sentence = `Ended ${count} ${count === 1 ? 'session' : 'sessions'} of user ${user}.`
    showOutcome({ userId: user, count }, { ...options, io, sentence })
  })
}

const columns: Columns<SessionView> = {
  id: ({ sessionId }) => sessionId,
  browser: ({ userAgent }) => userAgent ?? '-',
  location: ({ location }) => location ?? '-',
  'signed in': ({ signedInAt }) => instant(signedInAt),
  'last seen': ({ lastSeenAt }) => instant(lastSeenAt),
  expires: ({ expiresAt }) => instant(expiresAt),
  clients: ({ clientIds }) => clientIds.join(' '),
}
