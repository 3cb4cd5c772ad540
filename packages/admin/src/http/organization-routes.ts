import * as z from 'zod'

import { defineRoute, withVersion, type AdminCall, type AdminRoute } from './admin-route.ts'
import { fromWire, optionalMembers, pageAnswer, pageQuery, seconds, strings, version } from './wire.ts'

const displayName = z.string().min(1).max(200)

const organizationBody = z.strictObject({
  display_name: displayName,
  ...optionalMembers({ organization_id: z.string().min(1).max(255) }),
})

/** Members that are left out stay as they are. */
const organizationChangeBody = z.strictObject(optionalMembers({ display_name: displayName }))

const organizationAnswer = z.strictObject({
  organization_id: z.string(),
  display_name: z.string(),
  created_at: seconds,
  updated_at: seconds,
  version,
})

const memberBody = z.strictObject({ roles: strings(100, 50) })

const memberAnswer = z.strictObject({
  organization_id: z.string(),
  user_id: z.string(),
  roles: z.array(z.string()),
  created_at: seconds,
  updated_at: seconds,
  version,
})

const area = 'organizations'
const itemPath = '/organizations/{organization_id}'
const member = `${itemPath}/members/{user_id}` as const

/** The routes of organizations and memberships. */
export const organizationRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/organizations',
    area,
    access: 'read',
    summary: 'Lists organizations, ordered by identifier.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(organizationAnswer),
    handle: async ({ admin, query }) => ({ body: await admin.organizations.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/organizations',
    area,
    access: 'write',
    summary: 'Creates an organization.',
    body: organizationBody,
    status: 201,
    answer: organizationAnswer,
    handle: async ({ admin, body }) => {
      const organization = await admin.organizations.create(fromWire(body))
      return {
        ...withVersion(organization),
        location: `/organizations/${encodeURIComponent(organization.organizationId)}`,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: itemPath,
    area,
    access: 'read',
    summary: 'Reads an organization.',
    status: 200,
    answer: organizationAnswer,
    handle: async ({ admin, part }) => withVersion(await admin.organizations.read(part('organization_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Changes an organization. Members that are left out stay as they are.',
    body: organizationChangeBody,
    checksIfMatch: true,
    status: 200,
    answer: organizationAnswer,
    handle: async (call) => withVersion(await call.admin.organizations.update(target(call), fromWire(call.body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Removes an organization for good, with its memberships. The users are kept.',
    checksIfMatch: true,
    status: 204,
    handle: async (call) => {
      await call.admin.organizations.remove(target(call))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${itemPath}/members`,
    area,
    access: 'read',
    summary: 'Lists the members of an organization, ordered by identifier.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(memberAnswer),
    handle: async ({ admin, part, query }) => ({
      body: await admin.organizations.listMembers(part('organization_id'), query),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: member,
    area,
    access: 'read',
    summary: 'Reads a membership.',
    status: 200,
    answer: memberAnswer,
    handle: async (call) => withVersion(await call.admin.organizations.readMember(memberTarget(call))),
  }),
  defineRoute({
    method: 'PUT',
    path: member,
    area,
    access: 'write',
    summary: 'Makes a user a member with these roles, or replaces the roles of a member.',
    body: memberBody,
    checksIfMatch: true,
    status: 200,
    answer: memberAnswer,
    handle: async (call) =>
      withVersion(await call.admin.organizations.writeMember(memberTarget(call), call.body.roles)),
  }),
  defineRoute({
    method: 'DELETE',
    path: member,
    area,
    access: 'write',
    summary: 'Removes a membership.',
    checksIfMatch: true,
    status: 204,
    handle: async (call) => {
      await call.admin.organizations.removeMember(memberTarget(call))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/users/{user_id}/memberships',
    area,
    access: 'read',
    summary: 'Lists the memberships of a user.',
    status: 200,
    answer: z.strictObject({ items: z.array(memberAnswer) }),
    handle: async ({ admin, part }) => ({
      body: { items: await admin.organizations.listMemberships(part('user_id')) },
    }),
  }),
]

const target = (call: AdminCall<unknown, unknown>) => ({
  organizationId: call.part('organization_id'),
  version: call.version,
})

const memberTarget = (call: AdminCall<unknown, unknown>) => ({ ...target(call), userId: call.part('user_id') })
