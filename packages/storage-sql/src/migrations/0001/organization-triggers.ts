import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/** Triggers that end what belongs to a removed organization. */
export const organizationTriggers: readonly SqlTrigger[] = [
  {
    name: 'mintmark_organizations_removed',
    table: 'mintmark_organizations',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: [
      'DELETE FROM mintmark_memberships WHERE issuer = OLD.issuer AND organization_id = OLD.organization_id',
    ],
  },
]

/** Triggers that keep the members of organizations: users of an identity provider are members of its organization. */
export const providerOrganizationTriggers = (types: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_user_joined_when_created',
    table: 'mintmark_users',
    after: 'INSERT',
    when: 'NEW.provider_id IS NOT NULL AND NEW.removed_at IS NULL',
    statements: [joined('created_at', types)],
  },
  {
    name: 'mintmark_user_joined_when_linked',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id',
    when: 'OLD.provider_id IS NULL AND NEW.provider_id IS NOT NULL AND NEW.removed_at IS NULL',
    statements: [joined('updated_at', types)],
  },
  {
    name: 'mintmark_user_left_when_released',
    table: 'mintmark_users',
    after: 'UPDATE OF provider_id',
    when: 'OLD.provider_id IS NOT NULL AND NEW.provider_id IS NULL AND NEW.removed_at IS NULL',
    statements: [
      `DELETE FROM mintmark_memberships WHERE issuer = OLD.issuer AND user_id = OLD.user_id AND organization_id IN (
    SELECT organization_id FROM mintmark_identity_providers
    WHERE issuer = OLD.issuer AND provider_id = OLD.provider_id AND organization_id IS NOT NULL)`,
    ],
  },
]

function joined(at: 'created_at' | 'updated_at', { orNothing }: SqlEngine['types']): string {
  return `INSERT INTO mintmark_memberships (issuer, organization_id, user_id, roles, created_at, updated_at, version)
    SELECT NEW.issuer, organization.organization_id, NEW.user_id, '[]', NEW.${at}, NEW.${at}, 1
    FROM mintmark_identity_providers AS provider
    INNER JOIN mintmark_organizations AS organization
      ON organization.issuer = provider.issuer AND organization.organization_id = provider.organization_id
    WHERE provider.issuer = NEW.issuer AND provider.provider_id = NEW.provider_id AND organization.removed_at IS NULL
    ${orNothing}`
}
