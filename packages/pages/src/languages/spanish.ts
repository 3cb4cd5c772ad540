import type { Messages, StandardScope } from './messages.ts'

export const spanish: Messages = {
  lang: 'es',
  dir: 'ltr',
  unnamedClient: 'Una aplicación sin nombre',
  consent: {
    title: '¿Permitir el acceso?',
    heading: '{client} quiere usar su cuenta',
    unverified: 'La aplicación dice llamarse {client}. Este nombre no está verificado; solo {host} es seguro.',
    deviceWarning:
      'Cualquier programa de este dispositivo podría usar este nombre. Permita el acceso solo si acaba de iniciar usted mismo el programa.',
    signedInAs: 'Sesión iniciada como {account}',
    scopesLegend: 'Acceso solicitado:',
    detailsLegend: 'Para su aprobación:',
    organizationsLegend: '¿Para qué organización?',
    alwaysIncluded: 'Siempre forma parte del inicio de sesión',
    grantedBefore: 'Ya lo permitió anteriormente',
    resources: 'Este acceso es para {names}',
    destination: {
      website: 'En cualquier caso, después irá a {name}',
      device: 'En cualquier caso, después irá a un programa de este dispositivo ({name})',
      app: 'En cualquier caso, después irá a la aplicación de este dispositivo identificada como {name}',
    },
    deny: 'Rechazar',
    allow: 'Permitir',
    scopes: {
      openid: 'Saber quién es usted',
      profile: 'Ver su nombre y su perfil',
      email: 'Ver su dirección de correo electrónico',
      address: 'Ver su dirección postal',
      phone: 'Ver su número de teléfono',
      offline_access: 'Mantener el acceso cuando usted no esté',
      organization: 'Saber para qué organización ha iniciado sesión',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Iniciar sesión',
    toContinue: 'para continuar en {client}',
    username: 'Correo electrónico o nombre de usuario',
    usernameHints: {
      directory: '¿Su organización gestiona su cuenta? Escriba primero el nombre de su directorio: directorio/nombre',
    },
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    errorTitle: 'No se ha iniciado la sesión',
    errors: {
      rejected: 'Ninguna cuenta coincide con este nombre y esta contraseña. Compruebe ambos e inténtelo de nuevo.',
      incomplete: 'Rellene ambos campos e inténtelo de nuevo.',
      throttled: 'Ha habido demasiados intentos. Espere unos minutos e inténtelo de nuevo.',
    },
  },
  error: {
    title: 'Se ha producido un error',
    advice:
      'Vuelva a la aplicación de la que procede y empiece de nuevo. Si el problema continúa, póngase en contacto con sus responsables.',
    codeLabel: 'Código de error',
  },
  logout: {
    title: '¿Cerrar la sesión?',
    askedBy: '{client} le pide que cierre la sesión',
    signedInAs: 'Sesión iniciada como {account}',
    signOut: 'Cerrar sesión',
    stay: 'Mantener la sesión',
  },
  signedOut: {
    title: 'Ha cerrado la sesión',
    text: 'Puede cerrar esta ventana.',
    goOn: 'Continuar',
  },
  stillSignedIn: {
    title: 'Su sesión sigue abierta',
    text: 'Puede cerrar esta ventana.',
  },
  account: {
    title: 'Su cuenta',
    appsHeading: 'Aplicaciones conectadas',
    noApps: 'Ninguna aplicación tiene acceso a su cuenta.',
    appSince: 'Conectada el {date}',
    disconnect: 'Desconectar',
    sessionsHeading: 'Dónde ha iniciado sesión',
    thisBrowser: 'Este navegador',
    unknownBrowser: 'Navegador desconocido',
    sessionTimes: 'Sesión iniciada el {since}, último uso el {used}',
    sessionApps: 'Sesión iniciada en {names}',
    endSession: 'Cerrar sesión',
    endOthers: 'Cerrar todas las demás sesiones',
  },
}
