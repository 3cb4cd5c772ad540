import { auditDownload } from './audit/audit-download.ts'
import { auditPage } from './audit/audit-page.ts'
import { agentsPage } from './clients/agents.ts'
import { clientActions } from './clients/client-actions.ts'
import { changeClient, clientPage } from './clients/client-page.ts'
import { clientsPage } from './clients/clients-page.ts'
import { createClient, newClientPage } from './clients/new-client-page.ts'
import { directoriesPage } from './directories/directories-page.ts'
import { directoryActions } from './directories/directory-actions.ts'
import { directoryPage } from './directories/directory-page.ts'
import { createDirectory, newDirectoryPage } from './directories/new-directory-page.ts'
import { deliveriesPage, requeueAction } from './deliveries/deliveries-page.ts'
import { keysPage } from './keys/keys-page.ts'
import { createOrganization, organizationPage, organizationsPage } from './organizations/organizations-page.ts'
import { overviewPage } from './overview/overview-page.ts'
import type { Area, Caller, ConsoleRoute, Section } from './visit.ts'
import { userActions } from './users/user-actions.ts'
import { userPage } from './users/user-page.ts'
import { usersPage } from './users/users-page.ts'

/** The parts of the console in the order of the navigation, each with its path and the area that it shows. */
const sections: readonly (readonly [section: Section, path: string, area: Area | undefined])[] = [
  ['overview', '', undefined],
  ['users', '/users', 'users'],
  ['clients', '/clients', 'clients'],
  ['directories', '/directories', 'providers'],
  ['organizations', '/organizations', 'organizations'],
  ['deliveries', '/deliveries', 'deliveries'],
  ['audit', '/audit', 'audit'],
  ['keys', '/keys', 'keys'],
]

/** Every page of the console. */
export const routes: readonly ConsoleRoute[] = [
  { path: '', access: 'read', get: overviewPage },
  { path: '/users', area: 'users', access: 'read', get: usersPage },
  { path: '/users/{user_id}', area: 'users', access: 'read', get: userPage },
  ...userActions,
  { path: '/clients', area: 'clients', access: 'read', get: clientsPage },
  { path: '/new-client', area: 'clients', access: 'write', get: newClientPage, post: createClient },
  { path: '/clients/{client_id}', area: 'clients', access: 'read', get: clientPage, post: changeClient },
  ...clientActions,
  { path: '/directories', area: 'providers', access: 'read', get: directoriesPage },
  { path: '/new-directory', area: 'providers', access: 'write', get: newDirectoryPage, post: createDirectory },
  { path: '/directories/{provider_id}', area: 'providers', access: 'read', get: directoryPage },
  { path: '/directories/{provider_id}/agents', area: 'clients', access: 'read', get: agentsPage },
  ...directoryActions,
  { path: '/organizations', area: 'organizations', access: 'read', get: organizationsPage, post: createOrganization },
  { path: '/organizations/{organization_id}', area: 'organizations', access: 'read', get: organizationPage },
  { path: '/deliveries', area: 'deliveries', access: 'read', get: deliveriesPage },
  requeueAction,
  { path: '/keys', area: 'keys', access: 'read', get: keysPage },
  { path: '/audit', area: 'audit', access: 'read', get: auditPage },
  { path: '/audit.csv', area: 'audit', access: 'read', get: auditDownload },
]

/** Returns the parts that an administrator may see, with their addresses. */
export const sectionsFor = (caller: Caller, link: (path: string) => string): readonly (readonly [Section, string])[] =>
  sections.flatMap(([section, path, area]) =>
    area === undefined || caller.can('read', area) ? [[section, link(path)] as const] : [],
  )
