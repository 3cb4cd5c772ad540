import { type Action, actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { previousSecretsExpiry } from '../previous-secrets.ts'
import { secretPage } from '../secret-page.ts'
import { textOf } from '../values.ts'
import type { Visit } from '../visit.ts'
import { directoryName } from './directories-page.ts'

const path = '/directories/{provider_id}'

const common = {
  area: 'providers',
  section: 'directories',
  nameOf: async ({ api, part }: Visit) => directoryName(await api.get(at`/identity-providers/${part('provider_id')}`)),
  leadsTo: ({ part }: Visit) => at`/directories/${part('provider_id')}`,
} as const satisfies Partial<Action>

/** What administrators can do with a directory. */
export const directoryActions = [
  actionRoute({
    ...common,
    path: `${path}/disable`,
    isDangerous: true,
    question: ({ directories }) => directories.disable,
    call: ({ part }) => ({ method: 'POST', path: at`/identity-providers/${part('provider_id')}/disable` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/enable`,
    isDangerous: false,
    question: ({ directories }) => directories.enable,
    call: ({ part }) => ({ method: 'POST', path: at`/identity-providers/${part('provider_id')}/enable` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/release`,
    isDangerous: true,
    question: ({ directories }) => directories.release,
    call: ({ part }) => ({ method: 'POST', path: at`/identity-providers/${part('provider_id')}/release-offboarding` }),
  }),
  actionRoute({
    ...common,
    path: `${path}/rotate`,
    isDangerous: false,
    question: ({ directories }) => directories.rotate,
    call: ({ part }) => ({
      method: 'POST',
      path: at`/identity-providers/${part('provider_id')}/secrets`,
      body: { previous_expires_at: previousSecretsExpiry() },
    }),
    answer: async (result, visit) =>
      secretPage(visit, {
        section: 'directories',
        name: await common.nameOf(visit),
        secret: textOf(result['secret']),
        isRotated: true,
        leadsTo: common.leadsTo(visit),
      }),
  }),
  actionRoute({
    ...common,
    path: `${path}/revoke-previous`,
    isDangerous: true,
    question: ({ directories }) => directories.revokePrevious,
    call: ({ part }) => ({ method: 'DELETE', path: at`/identity-providers/${part('provider_id')}/secrets/previous` }),
  }),
]
