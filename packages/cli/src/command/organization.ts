import type { Administration } from '@mintmark/admin'
import { Command, Option } from 'commander'

import { UsageError } from '../command-error.ts'
import { withAdministration } from '../config/open-storage.ts'
import { withConfig, type ConfigOptions } from '../config/settings.ts'
import type { Io } from '../io.ts'
import { instant, showList, showOutcome, showRecord, type Columns, type ShowOptions } from '../show.ts'
import { showPage, withPage, type PageOptions } from './options.ts'

type OrganizationView = Awaited<ReturnType<Administration['organizations']['read']>>

type MemberView = Awaited<ReturnType<Administration['organizations']['readMember']>>

type OutputOptions = ConfigOptions & ShowOptions

/** Creates `mintmark organization`, which manages customers, companies or teams, and their members. */
export const organizationCommand = (io: Io): Command =>
  new Command('organization')
    .description('manages customers, companies or teams, and their members')
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the organizations, or the memberships of a user')
        .addOption(new Option('--user <id>', 'list the memberships of the user with this id: the sub in tokens'))
        .action((options: PageOptions & { readonly user?: string }) => listOrganizations(options, io)),
    )
    .addCommand(
      withConfig(new Command('create'))
        .description('creates an organization')
        .argument('<name>', 'the name that users see')
        .option('--id <id>', 'the id, which cannot be changed: the org_id in tokens; default: random')
        .option('--json', 'print JSON')
        .action((name: string, options: OutputOptions & { readonly id?: string }) =>
          withAdministration(options, io, async ({ organizations }) => {
            const created = await organizations.create({ organizationId: options.id, displayName: name })
            const sentence = `Organization ${created.organizationId} is created.`
            showOutcome(created, { ...options, io, sentence })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('show'))
        .description('shows an organization')
        .argument('<id>', "the organization's id: the org_id in tokens")
        .option('--json', 'print JSON')
        .action((id: string, options: OutputOptions) =>
          withAdministration(options, io, async ({ organizations }) =>
            showRecord(await organizations.read(id), { ...options, io }),
          ),
        ),
    )
    .addCommand(
      withConfig(new Command('rename'))
        .description('changes the name that users see')
        .argument('<id>')
        .argument('<name>')
        .option('--json', 'print JSON')
        .action((id: string, name: string, options: OutputOptions) =>
          withAdministration(options, io, async ({ organizations }) => {
            const renamed = await organizations.update({ organizationId: id }, { displayName: name })
            showOutcome(renamed, { ...options, io, sentence: `Organization ${id} is renamed.` })
          }),
        ),
    )
    .addCommand(removeCommand(io))
    .addCommand(memberCommand(io))

function listOrganizations({ user, ...options }: PageOptions & { readonly user?: string }, io: Io): Promise<void> {
  return withAdministration(options, io, async ({ organizations }) => {
    const { limit, after } = options
    if (user === undefined) return showPage(await organizations.list({ limit, after }), columns, { ...options, io })
    showList(await organizations.listMemberships(user), memberColumns, { ...options, io })
  })
}

const removeCommand = (io: Io): Command =>
  withConfig(new Command('remove'))
    .description(
      'removes an organization for good, with its memberships and everything issued for it; its users are kept',
    )
    .argument('<id>')
    .option('--yes', 'confirms the removal, which cannot be undone')
    .option('--json', 'print JSON')
    .action((id: string, options: OutputOptions & { readonly yes?: true }) => {
      if (options.yes !== true)
        throw new UsageError(`Removing organization ${id} cannot be undone. Add --yes to confirm.`)
      return withAdministration(options, io, async ({ organizations }) => {
        await organizations.remove({ organizationId: id })
        showOutcome({ organizationId: id }, { ...options, io, sentence: `Organization ${id} is removed.` })
      })
    })

/** Creates `mintmark organization member`, which manages the members of an organization and their roles. */
const memberCommand = (io: Io): Command =>
  new Command('member')
    .description('manages the members of an organization and their roles')
    .addCommand(
      withPage(withConfig(new Command('list')))
        .description('lists the members of an organization')
        .argument('<organization>')
        .action((organization: string, options: PageOptions) =>
          withAdministration(options, io, async ({ organizations }) => {
            const { limit, after } = options
            const page = await organizations.listMembers(organization, { limit, after })
            showPage(page, memberColumns, { ...options, io })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('add'))
        .description('makes a user a member with these roles, or replaces the roles of a member')
        .argument('<organization>')
        .argument('<user>', "the user's id: the sub in the user's tokens")
        .option('--role <role...>', 'the roles; default: none')
        .option('--json', 'print JSON')
        .action((organization: string, user: string, options: OutputOptions & { readonly role?: readonly string[] }) =>
          withAdministration(options, io, async ({ organizations }) => {
            const target = { organizationId: organization, userId: user }
            const member = await organizations.writeMember(target, options.role ?? [])
            showOutcome(member, { ...options, io, sentence: membershipText(member) })
          }),
        ),
    )
    .addCommand(
      withConfig(new Command('remove'))
        .description('removes a member, and revokes everything issued to the user for the organization')
        .argument('<organization>')
        .argument('<user>')
        .option('--json', 'print JSON')
        .action((organization: string, user: string, options: OutputOptions) =>
          withAdministration(options, io, async ({ organizations }) => {
            const target = { organizationId: organization, userId: user }
            await organizations.removeMember(target)
            const sentence = `User ${user} is no longer a member of organization ${organization}.`
            showOutcome(target, { ...options, io, sentence })
          }),
        ),
    )

const membershipText = ({ userId, organizationId, roles }: MemberView): string =>
  `User ${userId} is a member of organization ${organizationId}, ${roles.length === 0 ? 'without roles' : `as ${roles.join(', ')}`}.`

const columns: Columns<OrganizationView> = {
  id: ({ organizationId }) => organizationId,
  name: ({ displayName }) => displayName,
  created: ({ createdAt }) => instant(createdAt),
  updated: ({ updatedAt }) => instant(updatedAt),
}

const memberColumns: Columns<MemberView> = {
  organization: ({ organizationId }) => organizationId,
  user: ({ userId }) => userId,
  roles: ({ roles }) => roles.join(' '),
  since: ({ createdAt }) => instant(createdAt),
}
