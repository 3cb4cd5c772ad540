import { createPages } from '@mintmark/pages'
import { arabic, changeMessages, english, french, german } from '@mintmark/pages/languages'
import { frisian } from './frisian.ts'

/** German as this product speaks it, with a sentence for a scope of its own. */
const ourGerman = changeMessages(german, {
  signIn: { title: 'Willkommen zurück' },
  consent: { scopes: { 'orders.read': 'Ihre Bestellungen sehen' } },
})

/** The first language is for users who prefer none of them. */
export const { signInPage, consentPage, errorPage, logoutPage, locales } = createPages({
  languages: [english, ourGerman, french, arabic, frisian],
})
