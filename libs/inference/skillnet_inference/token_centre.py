"""Where the token vectors of a model lie on the whole.

They point much the same way (Ethayarajh 2019, arXiv:1909.00512): of multilingual-e5-small's the mean has length 0.79,
and 182 of 384 values have one sign in nine tokens of ten. Signs say little before that mean is taken off. It is
measured on the texts below, when an encoder first needs it.

Stored sign bits were made with these texts: they stay as they are for as long as such bits are kept.
"""

from __future__ import annotations

CENTRE_TEXTS = (
    "Las devoluciones se aceptan durante los quince días siguientes a la compra si el artículo está sin usar y se"
    " presenta el tique. El importe se reintegra por el mismo medio de pago, salvo en las tarjetas de regalo.",
    "Antes de limpiar la máquina hay que desconectarla de la corriente y esperar a que se enfríe. Las piezas de"
    " acero pueden lavarse con agua caliente y jabón neutro; las de plástico, solo con un paño húmedo.",
    "El contrato entrará en vigor el 1 de marzo de 2024 y tendrá una duración de dos años, prorrogables por"
    " acuerdo de las partes. Cualquiera de ellas podrá resolverlo con un preaviso de treinta días.",
    "La ciudad creció junto al río a partir del siglo XIII. Su puerto comerciaba con lana, hierro y vino, y la"
    " universidad, fundada más tarde, atrajo a estudiantes de toda la región.",
    "Módulo 3: atención al cliente. Al terminar, el alumno sabrá escuchar una queja, proponer una solución y"
    " registrar la incidencia. Duración: 4 horas. Evaluación: cuestionario de diez preguntas.",
    "Las células obtienen energía de la glucosa. En presencia de oxígeno la reacción produce agua, dióxido de"
    " carbono y unas treinta moléculas de ATP; sin él, el rendimiento es mucho menor.",
    "Employees are entitled to twenty-two days of paid leave a year. Requests should reach the manager at least"
    " two weeks ahead, and are answered in writing. Unused days may be carried over until the end of March.",
    "The bridge was opened in 1932 and carries eight lanes of traffic. Its main span is made of steel that was"
    " rolled abroad, while the granite of the towers came from a quarry nearby.",
    "To reset the router, hold the button on the back for ten seconds until the light turns amber. The default"
    " password is printed on the label. If the connection is still slow, check the cable first.",
    "The committee found that prices had risen faster than wages in most of the regions it studied, and"
    " recommended a lower tax on food, better public transport and more houses to rent.",
    "Els treballadors han de portar el casc i les botes de seguretat a tota la planta. Si veuen una fuita,"
    " n'avisen l'encarregat i surten per la porta més propera sense córrer.",
    "A produción de leite medrou un tres por cento o ano pasado, sobre todo nas explotacións pequenas. O prezo"
    " pagado aos gandeiros, porén, quedou case igual.",
    "Bezeroaren datuak bost urtez gordetzen dira, eta eskaera bidez zuzendu edo ezabatu daitezke. Galderak"
    " dituenak bulegora idatz dezake.",
    "Le musée est fermé le lundi. Les groupes de plus de dix personnes doivent réserver une visite au moins une"
    " semaine à l'avance ; l'entrée est gratuite pour les enfants et les étudiants.",
    "Os alunos devem entregar o trabalho até sexta-feira, em formato PDF, com capa e bibliografia. Os atrasos"
    " descontam um ponto por dia, exceto em caso de doença comprovada.",
    "Die Garantie gilt zwei Jahre ab dem Kaufdatum. Sie umfasst Fehler des Materials und der Herstellung, nicht"
    " aber Schäden durch falschen Gebrauch. Für eine Reparatur wird die Rechnung benötigt.",
    "La ricetta richiede mezzo chilo di farina, due uova, un bicchiere d'acqua e un pizzico di sale. L'impasto"
    " deve riposare un'ora in un luogo tiepido prima di essere steso.",
    "| Producto | Unidades | Precio | Total |\n"
    "|---|---|---|---|\n"
    "| Tornillo M4 x 20 | 250 | 0,08 € | 20,00 € |\n"
    "| Tuerca M4 | 250 | 0,05 € | 12,50 € |\n"
    "| Arandela | 500 | 0,02 € | 10,00 € |",
)
"""Prose of the kinds that are uploaded, most of it in Spanish and English; original."""
