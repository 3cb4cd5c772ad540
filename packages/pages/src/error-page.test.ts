import { expect, test } from 'vitest'
import { tagsNamed, textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { errorPage } from './error-page.ts'
import { signedOutPage } from './signed-out-page.ts'

test('RFC 6749 §4.1.2.1: an error that may not be redirected is told to the person, with its code', () => {
  const error = { status: 400, code: 'invalid_request', description: 'The <client> is unknown.' }

  const response = errorPage({ ...error, locale: 'de' })

  expect(response.status).toBe(400)
  expect(headerOf(response, 'Location')).toBeUndefined()
  expect(headerOf(response, 'Content-Security-Policy')).toContain(`form-action 'none';`)
  expect(textOf(tokensOf(response))).toContain('The <client> is unknown.')
  expect(textOf(tokensOf(response))).toContain('Fehlercode: invalid_request')
})

test('signing out ends on a page that posts nowhere', () => {
  const response = signedOutPage()

  expect(response.status).toBe(200)
  expect(tagsNamed(tokensOf(response), 'form')).toEqual([])
  expect(textOf(tokensOf(response))).toContain('You are signed out')
})
