import { expect, test } from 'vitest'
import * as pages from './index.ts'

test('exports these names and no others', () => {
  expect(Object.keys(pages).toSorted()).toMatchInlineSnapshot(`
    [
      "chooseLocale",
      "consentPage",
      "errorPage",
      "formActionSource",
      "readConsentForm",
      "readSignInForm",
      "signInPage",
      "signedOutPage",
    ]
  `)
})
