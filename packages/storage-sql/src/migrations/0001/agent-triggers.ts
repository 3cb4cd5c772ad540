import type { SqlEngine, SqlTrigger } from '../../dialect.ts'

/**
 * Triggers that disable the agents of a user or an identity provider in the statement that ends it.
 *
 * The trigger on users runs after those that lock the total of users, and before those that lock the position of the revocations,
 * which the update of clients locks as well: see `schema`.
 */
export const agentTriggers = ({ differ }: SqlEngine['types']): readonly SqlTrigger[] => [
  {
    name: 'mintmark_users_stop_agents',
    table: 'mintmark_users',
    after: 'UPDATE OF active, provider_id, removed_at',
    when: `((OLD.active AND NOT NEW.active) OR (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL)
    OR (OLD.provider_id IS NOT NULL AND ${differ('OLD.provider_id', 'NEW.provider_id')}))`,
    statements: [disableAgents('agent_owner_user_id = OLD.user_id', 'COALESCE(NEW.removed_at, NEW.updated_at)')],
  },
  {
    name: 'mintmark_identity_providers_stop_agents',
    table: 'mintmark_identity_providers',
    after: 'UPDATE OF disabled_at, removed_at',
    when: `((OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL)
    OR (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL))`,
    statements: [disableAgents('agent_provider_id = OLD.provider_id', 'COALESCE(NEW.removed_at, NEW.disabled_at)')],
  },
]

const disableAgents = (condition: string, at: string): string =>
  `UPDATE mintmark_clients SET disabled_at = ${at}, agent_ended_at = ${at}, version = version + 1
    WHERE issuer = OLD.issuer AND ${condition} AND disabled_at IS NULL AND removed_at IS NULL`
