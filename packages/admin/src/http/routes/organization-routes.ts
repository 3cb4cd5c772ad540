import { defineRoute, type AdminCall, type AdminRoute } from '../admin-route.ts'
import { versioned } from '../versioned.ts'
import { pageQuery } from '../wire/common-schema.ts'
import {
  memberAnswer,
  memberBody,
  membersAnswer,
  membershipsAnswer,
  organizationAnswer,
  organizationBody,
  organizationChangeBody,
  organizationsAnswer,
} from '../wire/organization-schema.ts'
import { fromWire } from '../wire/wire-names.ts'

const area = 'organizations'
const one = '/organizations/{organization_id}'
const member = `${one}/members/{user_id}` as const

/** What answers below /organizations, and about memberships. */
export const organizationRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/organizations',
    area,
    access: 'read',
    summary: 'Lists organizations, in the order of their identifiers.',
    query: pageQuery,
    status: 200,
    answer: organizationsAnswer,
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
      const { organizationId, version } = organization
      return { body: organization, version, location: `/organizations/${encodeURIComponent(organizationId)}` }
    },
  }),
  defineRoute({
    method: 'GET',
    path: one,
    area,
    access: 'read',
    summary: 'Reads an organization.',
    status: 200,
    answer: organizationAnswer,
    handle: async ({ admin, part }) => versioned(await admin.organizations.read(part('organization_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: one,
    area,
    access: 'write',
    summary: 'Changes an organization: what is left out stays.',
    body: organizationChangeBody,
    heedsVersion: true,
    status: 200,
    answer: organizationAnswer,
    handle: async (call) => versioned(await call.admin.organizations.update(target(call), fromWire(call.body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: one,
    area,
    access: 'write',
    summary: 'Removes an organization for good, with its memberships. The accounts stay.',
    heedsVersion: true,
    status: 204,
    handle: async (call) => {
      await call.admin.organizations.remove(target(call))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${one}/members`,
    area,
    access: 'read',
    summary: 'Lists the members of an organization, in the order of their identifiers.',
    query: pageQuery,
    status: 200,
    answer: membersAnswer,
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
    handle: async (call) => versioned(await call.admin.organizations.readMember(memberTarget(call))),
  }),
  defineRoute({
    method: 'PUT',
    path: member,
    area,
    access: 'write',
    summary: 'Makes an account a member with these roles, or gives a member these roles in place of its own.',
    body: memberBody,
    heedsVersion: true,
    status: 200,
    answer: memberAnswer,
    handle: async (call) => versioned(await call.admin.organizations.writeMember(memberTarget(call), call.body.roles)),
  }),
  defineRoute({
    method: 'DELETE',
    path: member,
    area,
    access: 'write',
    summary: 'Ends a membership.',
    heedsVersion: true,
    status: 204,
    handle: async (call) => {
      await call.admin.organizations.removeMember(memberTarget(call))
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{user_id}/memberships',
    area,
    access: 'read',
    summary: 'Lists the memberships of an account.',
    status: 200,
    answer: membershipsAnswer,
    handle: async ({ admin, part }) => ({
      body: { items: await admin.organizations.listMemberships(part('user_id')) },
    }),
  }),
]

const target = ({ part, version }: AdminCall<unknown, unknown>) => ({
  organizationId: part('organization_id'),
  version,
})

const memberTarget = (call: AdminCall<unknown, unknown>) => ({ ...target(call), userId: call.part('user_id') })
