import { createPages } from '@mintmark/pages'
import { arabic, changeMessages, english, french, german } from '@mintmark/pages/languages'
import { frisian } from './frisian.ts'

/** German with this product's own wording, and with a sentence for its own scope value. */
const ourGerman = changeMessages(german, {
  signIn: { title: 'Willkommen zurück' },
  consent: { scopes: { 'orders.read': 'Ihre Bestellungen sehen' } },
})

/** Users who prefer none of these languages get the first one. */
export const { signInPage, consentPage, errorPage, logoutPage, locales } = createPages({
  languages: [english, ourGerman, french, arabic, frisian],
})
