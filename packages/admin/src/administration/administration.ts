import { administerUsers, type UserAdministration } from '../account/account-administration.ts'
import type { AdminContext } from '../audit/admin-context.ts'
import { adminLog } from '../audit/audit.ts'
import { listLog, type LogEntryView } from '../audit/list-log.ts'
import { administerClients, type ClientAdministration } from '../client/client-administration.ts'
import { administerGrants, type GrantAdministration } from '../grant/grant-administration.ts'
import {
  administerOrganizations,
  type OrganizationAdministration,
} from '../organization/organization-administration.ts'
import type { Page, PageRequest } from '../page/page.ts'
import { administerProviders, type ProviderAdministration } from '../provider/provider-administration.ts'
import { administerSessions, type SessionAdministration } from '../session/session-administration.ts'

/** What an administrator can do, by what it is done to. */
export interface Administration {
  readonly clients: ClientAdministration
  readonly identityProviders: ProviderAdministration
  readonly users: UserAdministration
  readonly organizations: OrganizationAdministration
  readonly grants: GrantAdministration
  readonly sessions: SessionAdministration
  /**
   * What administrators did, the newest first. Of each act there are two entries: that it was intended, and what came of
   * it.
   */
  readonly audit: { list(page?: PageRequest): Promise<Page<LogEntryView>> }
}

export const administer = (acting: AdminContext): Administration => ({
  clients: administerClients(acting),
  identityProviders: administerProviders(acting),
  users: administerUsers(acting),
  organizations: administerOrganizations(acting),
  grants: administerGrants(acting),
  sessions: administerSessions(acting),
  audit: { list: (page = {}) => listLog(adminLog, page, acting) },
})
