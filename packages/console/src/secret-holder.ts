import { systemClock } from '@mintmark/internal'
import { type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { type Action, actionLink, actionRoute } from './action.ts'
import { secretTable } from './elements/secret-table.ts'
import type { Messages } from './languages/messages.ts'
import { secretPage } from './secret-page.ts'
import { recordsOf, textOf } from './values.ts'
import type { ConsoleRoute, Visit } from './visit.ts'

/** A record that has secrets and can be disabled: a client or a directory. */
export interface SecretHolder extends Pick<Action, 'area' | 'section' | 'nameOf' | 'leadsTo'> {
  /** The path of its page. */
  readonly path: string
  /** Returns the path of the record in the administration API. */
  readonly apiPath: (visit: Visit) => string
  readonly questions: (messages: Messages) => HolderQuestions
  /** The member of the response that contains a new secret. */
  readonly secretMember: string
}

type HolderQuestions = Pick<Messages['clients'], 'disable' | 'enable' | 'rotate' | 'revokePrevious' | 'secrets'>

/** Creates the routes that disable and enable the record, and that replace its secrets. */
export function secretHolderRoutes(holder: SecretHolder): readonly ConsoleRoute[] {
  const { path, apiPath, questions, area, section, nameOf, leadsTo } = holder
  const common = { area, section, nameOf, leadsTo }
  return [
    actionRoute({
      ...common,
      path: `${path}/disable`,
      isDangerous: true,
      question: (messages) => questions(messages).disable,
      call: (visit) => ({ method: 'POST', path: `${apiPath(visit)}/disable` }),
    }),
    actionRoute({
      ...common,
      path: `${path}/enable`,
      isDangerous: false,
      question: (messages) => questions(messages).enable,
      call: (visit) => ({ method: 'POST', path: `${apiPath(visit)}/enable` }),
    }),
    actionRoute({
      ...common,
      path: `${path}/rotate`,
      isDangerous: false,
      question: (messages) => questions(messages).rotate,
      call: (visit) => ({
        method: 'POST',
        path: `${apiPath(visit)}/secrets`,
        body: { previous_expires_at: previousSecretsExpiry() },
      }),
      answer: async (result, visit) =>
        secretPage(visit, {
          section,
          name: await nameOf(visit),
          secret: textOf(result[holder.secretMember]),
          isRotated: true,
          leadsTo: leadsTo(visit),
        }),
    }),
    actionRoute({
      ...common,
      path: `${path}/revoke-previous`,
      isDangerous: true,
      question: (messages) => questions(messages).revokePrevious,
      call: (visit) => ({ method: 'DELETE', path: `${apiPath(visit)}/secrets/previous` }),
    }),
  ]
}

/** Returns when the previous secrets expire: in an hour, which leaves time to paste the new one. In seconds since 1970. */
const previousSecretsExpiry = (): number => Math.floor(systemClock()) + 3600

/** Renders the link that disables the record, or enables it again. */
export function stateButton(record: JsonObject, { leadsTo, questions }: SecretHolder, visit: Visit): Fragment {
  const isEnabled = record['disabled_at'] === undefined
  const { disable, enable } = questions(visit.messages)
  return actionLink(visit, {
    path: `${leadsTo(visit)}/${isEnabled ? 'disable' : 'enable'}?version=${textOf(record['version'])}`,
    question: () => (isEnabled ? disable : enable),
    isDangerous: isEnabled,
  })
}

/** Lists the secrets of the record, with the links that replace them for those who may. */
export function holderSecrets(record: JsonObject, { area, leadsTo, questions }: SecretHolder, visit: Visit): Fragment {
  const secrets = recordsOf(record['secrets'])
  const path = leadsTo(visit)
  const { rotate, revokePrevious, secrets: title } = questions(visit.messages)
  const revoke = { path: `${path}/revoke-previous`, question: () => revokePrevious, isDangerous: true }
  const buttons = visit.caller.can('write', area)
    ? html`${actionLink(visit, { path: `${path}/rotate`, question: () => rotate, isDangerous: false })}${
        secrets.length > 1 ? actionLink(visit, revoke) : undefined
      }`
    : undefined
  return secretTable({ title, secrets, buttons }, visit)
}
