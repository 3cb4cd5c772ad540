import type { Messages, StandardScope } from './messages.ts'

export const french: Messages = {
  lang: 'fr',
  dir: 'ltr',
  unnamedClient: 'Une application sans nom',
  consent: {
    title: 'Autoriser l’accès ?',
    heading: '{client} souhaite utiliser votre compte',
    unverified:
      'L’application se présente comme {client}. Ce nom n’a pas été vérifié ; seule l’adresse {host} est certaine.',
    deviceWarning:
      'N’importe quel programme de cet appareil pourrait utiliser ce nom. N’autorisez l’accès que si vous venez de lancer vous-même ce programme.',
    signedInAs: 'Connecté en tant que {account}',
    scopesLegend: 'Accès demandé :',
    detailsLegend: 'À approuver :',
    organizationsLegend: 'Pour quelle organisation ?',
    alwaysIncluded: 'Toujours inclus dans la connexion',
    grantedBefore: 'Déjà autorisé par vous',
    resources: 'Cet accès concerne {names}',
    destination: {
      website: 'Dans tous les cas, vous serez ensuite redirigé vers {name}',
      device: 'Dans tous les cas, vous serez ensuite redirigé vers un programme de cet appareil ({name})',
      app: 'Dans tous les cas, vous serez ensuite redirigé vers l’application de cet appareil identifiée par {name}',
    },
    links: {
      legend: 'Pages de cette application :',
      website: 'Site web',
      policy: 'Politique de confidentialité',
      terms: 'Conditions d’utilisation',
    },
    deny: 'Refuser',
    allow: 'Autoriser',
    scopes: {
      openid: 'Savoir qui vous êtes',
      profile: 'Voir votre nom et votre profil',
      email: 'Voir votre adresse e-mail',
      address: 'Voir votre adresse postale',
      phone: 'Voir votre numéro de téléphone',
      offline_access: 'Conserver l’accès en votre absence',
      organization: 'Savoir pour quelle organisation vous êtes connecté',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Connexion',
    toContinue: 'pour accéder à {client}',
    username: 'Adresse e-mail ou nom d’utilisateur',
    usernameHints: {
      directory: 'Votre organisation gère votre compte ? Saisissez d’abord le nom de son annuaire : annuaire/nom',
    },
    password: 'Mot de passe',
    submit: 'Se connecter',
    forgotPassword: 'Mot de passe oublié ?',
    createAccount: 'Créer un compte',
    errorTitle: 'La connexion a échoué',
    errors: {
      rejected: 'Aucun compte ne correspond à ce nom et à ce mot de passe. Vérifiez-les et réessayez.',
      incomplete: 'Remplissez les deux champs et réessayez.',
      throttled: 'Trop de tentatives ont été effectuées. Patientez quelques minutes, puis réessayez.',
    },
  },
  selectAccount: {
    title: 'Choisir un compte',
    continueAs: 'Continuer en tant que {account}',
    another: 'Utiliser un autre compte',
  },
  error: {
    title: 'Une erreur s’est produite',
    advice:
      'Revenez à l’application d’où vous venez et recommencez. Si le problème persiste, contactez les responsables de cette application.',
    codeLabel: 'Code d’erreur',
    referenceLabel: 'Référence',
  },
  logout: {
    title: 'Se déconnecter ?',
    askedBy: '{client} vous demande de vous déconnecter',
    signedInAs: 'Connecté en tant que {account}',
    signOut: 'Se déconnecter',
    stay: 'Rester connecté',
  },
  signedOut: {
    title: 'Vous êtes déconnecté',
    text: 'Vous pouvez fermer cette fenêtre.',
    goOn: 'Continuer',
  },
  stillSignedIn: {
    title: 'Vous êtes toujours connecté',
    text: 'Vous pouvez fermer cette fenêtre.',
  },
  account: {
    title: 'Votre compte',
    appsHeading: 'Applications connectées',
    noApps: 'Aucune application n’a accès à votre compte.',
    appSince: 'Connectée le {date}',
    disconnect: 'Déconnecter',
    sessionsHeading: 'Vos sessions',
    thisBrowser: 'Ce navigateur',
    unknownBrowser: 'Navigateur inconnu',
    sessionTimes: 'Connexion le {since}, dernière utilisation le {used}',
    sessionApps: 'Connecté à {names}',
    endSession: 'Déconnecter',
    endOthers: 'Déconnecter toutes les autres sessions',
  },
}
