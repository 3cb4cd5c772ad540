import { OAuthError } from '../error/oauth-error.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'

/** What the client wants the person to be asked (OIDC Core §3.1.2.1). */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

export const prompts: readonly Prompt[] = ['none', 'login', 'consent', 'select_account']

/** @throws OAuthError invalid_request — reason `prompt_invalid`. */
export function parsePrompt(value: string | undefined): ReadonlySet<Prompt> {
  const values = spaceSeparated(value)
  const known = prompts.filter((prompt) => values.includes(prompt))
  // OIDC Core §3.1.2.1: none stands alone. Values that are not defined cannot be honoured.
  if (known.length !== values.length || (values.includes('none') && values.length > 1)) {
    throw new OAuthError('invalid_request', 'The prompt parameter is not valid.', { reason: 'prompt_invalid' })
  }
  return new Set(known)
}
