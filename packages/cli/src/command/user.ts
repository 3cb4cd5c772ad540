import type { UserView } from '@mintmark/admin'
import type { RevokedAccess } from '@mintmark/scim'
import { Command } from 'commander'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { withAdministration } from '../place/administration.ts'
import { withConfig, type ConfigOptions } from '../place/place-options.ts'
import { instant, showThing, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, type PageOptions } from './page-options.ts'

/** `mintmark user`: the accounts. */
export const userCommand = (io: Io): Command =>
  new Command('user')
    .description('the accounts that people have')
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the accounts, oldest first')
        .option('--filter <filter>', `as in SCIM: 'active eq false and claims.email ew "@example.com"'`)
        .action((options: PageOptions & { readonly filter?: string }) =>
          withAdministration(options, io, async ({ users: accounts }) => {
            const { limit, after, filter } = options
            showPage(await accounts.list({ limit, after, filter }), columns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('show'))
        .description('shows an account')
        .argument('<id>', 'the sub of its tokens')
        .option('--json', 'print JSON')
        .action((id: string, options: ConfigOptions & ShowOptions) =>
          withAdministration(options, io, async ({ users: accounts }) =>
            showThing(await accounts.read(id), { ...options, io }),
          ),
        ),
    )
    .addCommand(
      withConfig(new Command('deactivate'))
        .description('ends all access of the person at once')
        .argument('<id>')
        .action((id: string, options: ConfigOptions) =>
          withAdministration(options, io, async ({ users: accounts }) => {
            const { revoked } = await accounts.deactivate(id)
            io.out(`Account ${id} is deactivated. ${receipt(revoked)}`)
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('reactivate'))
        .description('lets the person sign in again; nothing that was issued before is revived')
        .argument('<id>')
        .action((id: string, options: ConfigOptions) =>
          withAdministration(options, io, async ({ users: accounts }) => {
            await accounts.reactivate(id)
            io.out(`Account ${id} is active.`)
          }),
        ),
    )
    .addCommand(removeCommand(io))

const removeCommand = (io: Io): Command =>
  withConfig(new Command('remove'))
    .description('erases an account for good; its identifier stays taken')
    .argument('<id>')
    .option('--yes', 'it cannot be undone: this is needed')
    .action((id: string, options: ConfigOptions & { readonly yes?: true }) => {
      if (options.yes !== true) throw new UsageError(`Nothing brings the account ${id} back. Add --yes to remove it.`)
      return withAdministration(options, io, async ({ users: accounts }) => {
        const ended = await accounts.remove(id)
        io.out(`Account ${id} is removed. ${receipt(ended)}`)
      })
    })

/** What died with it. */
function receipt(ended: RevokedAccess | undefined): string {
  if (ended === undefined) return 'What it had was ended with it.'
  return `Ended with it: ${counted(ended.sessionIds.length, 'session')}, ${counted(ended.grants.length, 'grant')}.`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const columns: Columns<UserView> = {
  id: ({ userId }) => userId,
  active: ({ active }) => (active ? 'yes' : 'no'),
  name: ({ claims }) => textOf(claims['name'] ?? claims['preferred_username']),
  email: ({ claims }) => textOf(claims['email']),
  created: ({ createdAt }) => instant(createdAt),
  updated: ({ updatedAt }) => instant(updatedAt),
}

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '-')
