"""The fixed texts on which two models are compared: languages, scripts, lengths, and what trips tokenizers.

No text spells a special token such as the one that ends a sequence: the encoder reads it as ordinary text, while
sentence-transformers lets a user's text end its own sequence, so that the two differ by intent.
"""

from __future__ import annotations

_SENTENCES = (
    "Las devoluciones se aceptan durante quince días con el recibo de compra.",
    "¿Quién autoriza un descuento superior al veinte por ciento?",
    "La cámara se mantiene entre 0 °C y 4 °C; si pasa de 8 °C, avise a la persona encargada.",
    "El personal nuevo firma el registro de formación antes de su primer turno.",
    "Returns are accepted within fifteen days when the customer shows the receipt.",
    "Who is allowed to open the safe after closing time?",
    "Check the expiry date of every batch before it goes on the shelf.",
    "As devoluções são aceites durante quinze dias com o talão de compra.",
    "Quem fecha a loja tem de ligar o alarme e verificar as janelas.",
    "Les retours sont acceptés pendant quinze jours sur présentation du ticket.",
    "Où faut-il signaler une panne du four ?",
    "Rückgaben werden innerhalb von fünfzehn Tagen gegen Vorlage des Belegs angenommen.",
    "Straßenbahnhaltestellenbeschilderung und Überstundenvergütung",
    "I resi si accettano entro quindici giorni con lo scontrino.",
    "Les devolucions s'accepten durant quinze dies amb el tiquet; l'horari és de 9 a 14 h.",
    "Itzulketak hamabost eguneko epean onartzen dira, erosketa-agiriarekin.",
    "Zwroty przyjmujemy w ciągu piętnastu dni za okazaniem paragonu.",
    "Возврат принимается в течение пятнадцати дней при наличии чека.",
    "Οι επιστροφές γίνονται δεκτές εντός δεκαπέντε ημερών με την απόδειξη.",
    "تُقبل المرتجعات خلال خمسة عشر يومًا مع إيصال الشراء.",
    "ההחזרות מתקבלות בתוך חמישה עשר ימים עם הקבלה.",
    "रसीद के साथ पंद्रह दिनों के भीतर सामान लौटाया जा सकता है।",
    "คืนสินค้าได้ภายในสิบห้าวันพร้อมใบเสร็จ",
    "凭购物小票可在十五天内退货。",
    "レシートがあれば、十五日以内に返品できます。",
    "영수증이 있으면 십오 일 이내에 반품할 수 있습니다.",
    "Hàng được trả lại trong vòng mười lăm ngày kèm theo hóa đơn.",
    "İade için on beş gün içinde fişle birlikte başvurulmalıdır.",
)

_SHAPES = (
    "",
    " ",
    ".",
    "a",
    "No.",
    "7",
    "2026-11-30",
    "REF-2041-B: saco de 25 kg, proveedor n.º 17, 1.234,56 €",
    "MAYÚSCULAS SIN PAUSA PARA TODO EL MUNDO",
    "sin tildes ni enes: manana, nino, cafe, pinguino",
    "espacios    dobles\t\ty\n\nlíneas\r\nrotas",
    "«comillas», “curvas”, guion—raya… y 3½ tazas",
    "def total(precios: list[float]) -> float:\n    return sum(precios) * 1.21",
    "SELECT id, nombre FROM clientes WHERE baja IS NULL ORDER BY nombre;",
    "| turno | horas |\n|---|---|\n| mañana | 6 |\n| tarde | 7 |",
    "https://ejemplo.es/manual?capitulo=3&pagina=12#devoluciones",
    "correo: tienda.centro@ejemplo.es, tel. +34 600 000 000",
    "🙂 👩‍🍳 🇪🇸 ✅ 1️⃣",
    "cafe\u0301 con an\u0303o descompuesto",
    "e\u200bspacio de ancho\u00a0nulo y\u00a0duro",
    "ﬁcha, oﬃcina, Ⅳ, ①, ㎏, ｆｕｌｌ　ｗｉｄｔｈ",
    "x² + y² = z², α ≤ β ⇒ ∑ᵢ aᵢ ≥ 0",
    "supercalifragilísticoespialidosopalabralarguísimasinespaciosquenoacabanunca",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)

_LENGTHS = (0.25, 0.5, 0.9, 1.3, 3.0)
"""Of the long texts, as parts of the window."""
_TOKENS_A_SENTENCE = 15


def verification_texts(window: int) -> list[str]:
    """Sentences, odd shapes, and long texts of about a quarter to three times the window in tokens."""
    long = [
        " ".join(f"{number + 1}. {_SENTENCES[number % len(_SENTENCES)]}" for number in range(count))
        for count in (max(2, int(window * share) // _TOKENS_A_SENTENCE) for share in _LENGTHS)
    ]
    return [*_SENTENCES, *_SHAPES, *long]
