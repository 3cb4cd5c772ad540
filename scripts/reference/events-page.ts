import type { RefusalRow } from '@mintmark/internal'

import { refusals as adminRefusals } from '../../packages/admin/src/error/refusals.ts'
import { refusals as consoleRefusals } from '../../packages/console/src/refusals.ts'
import { refusals as serverRefusals } from '../../packages/core/src/refusals.ts'
import { refusals as registrationRefusals } from '../../packages/registration/src/refusals.ts'
import { refusals as accessRefusals } from '../../packages/resource-server/src/refusals.ts'
import { refusals as scimRefusals } from '../../packages/scim/src/error/refusals.ts'
import { refusals as signalRefusals } from '../../packages/signals/src/refusals.ts'
import { eventsOf, type EventEntry } from './event.ts'
import { table } from './markdown-table.ts'
import type { PublicApi } from './public-api.ts'
import { refusalsOf } from './refusals.ts'

/** Returns the page `docs/reference/events.md`, generated from the unions of events and reasons. */
export const eventsPage = (api: PublicApi): string =>
  [
    introduction,
    '## Authorization server',
    '`onEvent` of `createAuthorizationServer` is called with a `ServerEvent`.',
    eventList(eventsOf('ServerOccurrence', 'packages/core/src/events.ts', api)),
    '### Reasons for refused authorization requests',
    'The `reason` of `request.refused` (`RefusalReason`), and the error codes that the client receives.',
    table(['reason', 'codes', 'meaning'], serverRows(api)),
    '## SCIM',
    '`onEvent` of `createScimServer` is called with a `ScimEvent`.',
    eventList(eventsOf('ScimOccurrence', 'packages/scim/src/event/scim-event.ts', api)),
    '### Reasons for refused SCIM requests',
    'The `reason` of `request.refused` (`ScimRefusalReason`), and the error that the identity provider receives.',
    table(['reason', 'status', 'scimType', 'detail'], scimRows),
    '## Administration',
    '`onEvent` of `createAdministration` and `createAdminServer` is called with an `AdminEvent`.',
    eventList(eventsOf('AdminOccurrence', 'packages/admin/src/audit/admin-event.ts', api)),
    '### Reasons for refused administrative actions',
    'The `reason` of `AdminError` (`AdminRefusalReason`), which is also the `code` in the response.',
    table(
      ['reason', 'status', 'detail'],
      Object.values(adminRefusals).map(({ reason, status, sentence }) => [`\`${reason}\``, `${status}`, sentence]),
    ),
    '## Console',
    '`onEvent` of `createConsole` is called with a `ConsoleEvent`, for requests that the console itself refused.',
    eventList(eventsOf('ConsoleOccurrence', 'packages/console/src/refusals.ts', api)),
    table(
      ['reason', 'status', 'standard'],
      Object.values(consoleRefusals).map(({ reason, status, section }) => [`\`${reason}\``, `${status}`, section]),
    ),
    '## Client registration',
    '`onEvent` of `createRegistrationServer` is called with a `RegistrationEvent`.',
    eventList(eventsOf('RegistrationOccurrence', 'packages/registration/src/refusals.ts', api)),
    '### Reasons for refused registrations',
    'The `reason` of `registration.refused`, and the error that the client receives.',
    table(['reason', 'status', 'code', 'description', 'standard'], registrationRows),
    '## Security signals',
    '`onEvent` of `createSignalTransmitter` is called with a `TransmitterEvent`.',
    eventList(eventsOf('TransmitterOccurrence', 'packages/signals/src/refusals.ts', api)),
    '### Reasons for refused requests of receivers',
    'The `reason` of `request.refused`, which is also the `error` in the response.',
    table(
      ['reason', 'status', 'description', 'standard'],
      Object.values(signalRefusals).map(({ reason, status, sentence, section }) => [
        `\`${reason}\``,
        `${status}`,
        sentence,
        section,
      ]),
    ),
    '`onEvent` of `createSignalReceiver` is called with a `ReceiverEvent`.',
    eventList(eventsOf('ReceiverOccurrence', 'packages/signals/src/received-event.ts', api)),
    '## Resource servers',
    '`onRefusal` of `createResourceServer` is called with an `AccessRefusedError`. Its `reason` is an `AccessRefusalReason`.',
    table(
      ['reason', 'code', 'meaning', 'standard'],
      refusalsOf(accessRefusals, 'packages/resource-server/src/refusals.ts', api).map(
        ({ reason, code, meaning, section }) => [`\`${reason}\``, `\`${code}\``, meaning, section],
      ),
    ),
  ].join('\n\n') + '\n'

const introduction = `# Events and reasons

This page lists every event that the servers emit, and every reason for a refusal. Reasons are for logs and tests. The
response says less, so that an attacker does not learn which of several checks failed. Events and reasons are closed unions
in TypeScript, so the compiler checks a \`switch\` over them. No event contains a token, a code, a secret or a claim about
a user.

Every event also has \`at\`, in seconds since 1970, and \`correlationId\`, which the server generates and which all events of
one request have in common. \`requestId\` is the request's \`x-request-id\`. Anyone can send any value, so rely on it only behind
a proxy that sets it.

This page is generated by \`pnpm generate reference\`.`

/** Lists events. Events with the same fields are grouped above one list of the fields. */
function eventList(events: readonly EventEntry[]): string {
  const fieldLists = new Set(events.map(({ fields }) => JSON.stringify(fields)))
  const groups = [...fieldLists].map((list) => events.filter(({ fields }) => JSON.stringify(fields) === list))
  return groups
    .map((group) => [...group.map(({ type, text }) => `**\`${type}\`**: ${text}`), fieldList(group)].join('\\\n'))
    .join('\n\n')
}

function fieldList([event]: readonly EventEntry[]): string {
  const described = (event?.fields ?? []).map(
    ({ name, type, text }) => `\n- \`${name}\` \`${type}\`${text === '' ? '' : `: ${text}`}`,
  )
  return `Fields:\n${described.join('')}`
}

const scimRows = Object.values<RefusalRow & { readonly reason: string }>(scimRefusals).map(
  ({ reason, status, code, sentence = '' }) => [`\`${reason}\``, `${status}`, code ? `\`${code}\`` : '', sentence],
)

const registrationRows = Object.values<RefusalRow & { readonly reason: string }>(registrationRefusals).map(
  ({ reason, status, code, sentence = '(names the invalid metadata)', section }) => [
    `\`${reason}\``,
    `${status}`,
    code ? `\`${code}\`` : '',
    sentence,
    section,
  ],
)

/** Returns one row for each reason of the authorization server, with all its codes and meanings. */
function serverRows(api: PublicApi): readonly (readonly string[])[] {
  const refusals = refusalsOf(serverRefusals, 'packages/core/src/refusals.ts', api)
  return [...new Set(refusals.map(({ reason }) => reason))].toSorted().map((reason) => {
    const rows = refusals.filter((refusal) => refusal.reason === reason)
    const codes = [...new Set(rows.map(({ code }) => `\`${code}\``))]
    return [`\`${reason}\``, codes.join(', '), rows.map(({ meaning }) => meaning).join(' ')]
  })
}
