import type { UserView } from '@mintmark/admin'
import type { RevokedAccess } from '@mintmark/scim/engine'
import { Command } from 'commander'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import { instant, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import { userImportCommand } from './user-import.ts'
import { showPage, withPage, type PageOptions } from './options.ts'

/** Creates `mintmark user`, which manages the users. */
export const userCommand = (io: Io): Command =>
  new Command('user')
    .description('manages the users')
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the users, oldest first')
        .option('--filter <filter>', `a SCIM filter, such as 'active eq false and claims.email ew "@example.com"'`)
        .action((options: PageOptions & { readonly filter?: string }) =>
          withAdministration(options, io, async ({ users }) => {
            const { limit, after, filter } = options
            showPage(await users.list({ limit, after, filter }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('show'))
        .description('shows a user')
        .argument('<id>', "the user's id: the sub in the user's tokens")
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ users }) => showRecord(await users.read(id), { ...options, io })),
        ),
    )
    .addCommand(
      withConfig(new Command('deactivate'))
        .description('blocks the user and revokes all access; no identity provider can lift the block')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ users }) => {
            const deactivated = await users.deactivate(id)
            const sentence = `User ${id} is deactivated. ${revocationText(deactivated.revoked)}`
            showOutcome(deactivated, { ...options, io, sentence })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('reactivate'))
        .description('lifts the block of a user; earlier sessions and tokens stay revoked')
        .argument('<id>')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ users }) => {
            const user = await users.reactivate(id)
            const sentence = user.active
              ? `User ${id} is active.`
              : `User ${id} is no longer blocked, but the identity provider has deactivated the user. Repeat the command to activate the user anyway.`
            showOutcome(user, { ...options, io, sentence })
          }),
        ),
    )
    .addCommand(removeCommand(io))
    .addCommand(userImportCommand(io))

const removeCommand = (io: Io): Command =>
  withConfig(new Command('remove'))
    .description('removes a user for good; no other user can get the identifier')
    .argument('<id>')
    .option('--yes', 'confirms the removal, which cannot be undone')
    .option('--json', 'print JSON')
    .action((id: string, options: ConfigOptions & ShowOptions & { readonly yes?: true }) => {
      if (options.yes !== true) throw new UsageError(`Removing user ${id} cannot be undone. Add --yes to confirm.`)
      return withAdministration(options, io, async ({ users }) => {
        const revoked = await users.remove(id)
        const sentence = `User ${id} is removed. ${revocationText(revoked)}`
        showOutcome({ userId: id, revoked }, { ...options, io, sentence })
      })
    })

function revocationText(revoked: RevokedAccess | undefined): string {
  if (revoked === undefined) return 'All sessions and grants are revoked.'
  return `Revoked ${counted(revoked.sessionIds.length, 'session')} and ${counted(revoked.grants.length, 'grant')}.`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const columns: Columns<UserView> = {
  id: ({ userId }) => userId,
  active: ({ active, blockedAt }) => (active ? 'yes' : blockedAt === undefined ? 'no' : 'blocked'),
  provider: ({ providerId }) => providerId ?? '-',
  name: ({ claims }) => textOf(claims['name'] ?? claims['preferred_username']),
  email: ({ claims }) => textOf(claims['email']),
  created: ({ createdAt }) => instant(createdAt),
  updated: ({ updatedAt }) => instant(updatedAt),
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '-')
