import type { Api } from './api.ts'
import { ApiError, refuse } from './refusals.ts'
import { recordOf, textOf } from './values.ts'
import type { Caller } from './visit.ts'

/**
 * Asks the administration API who has sent the request.
 * @throws ConsoleError `not_signed_in` | `not_an_administrator`; ApiError if the API refuses for another reason.
 */
export async function readCaller(api: Api): Promise<Caller> {
  const answer = await api.attempt({ method: 'GET', path: '/caller' })
  if (answer instanceof ApiError) {
    // RFC 9110 §15.5.4: the page for visitors is no challenge, so it is 403 and not 401.
    throw answer.status === 401 ? refuse('not_signed_in', { cause: answer }) : answer
  }
  const access = recordOf(answer['access'])
  // RFC 9110 §15.5.4: the host knows the user, and gives no access.
  if (Object.values(access).every((value) => value === 'none')) throw refuse('not_an_administrator')
  return {
    name: textOf(answer['name']) || textOf(recordOf(answer['actor'])['id']),
    can: (kind, area) => access[area] === 'write' || (kind === 'read' && access[area] === 'read'),
  }
}
