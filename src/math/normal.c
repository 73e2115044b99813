// normal.c - the ziggurat: the curve exp(-x^2/2) lies in layers of equal area, 255 rectangles and a
// base with the tail. A point in a layer is almost always left of the next edge and so under the
// curve; only near the edge does the curve itself have to be asked.
//
// A draw of the stream has four words: one for the place of each of three numbers in its layer, and
// one with ten bits for each, layer and sign. What is refused is drawn again from words that belong
// to this draw alone, so that a draw is one index of the stream whatever happens.
//
// Source: G. Marsaglia, W. W. Tsang, "The ziggurat method for generating random variables", Journal
// of Statistical Software 5 (2000) 8; the tail: G. Marsaglia, Technometrics 6 (1964) 101.
#include "math/normal.h"
#include <tactus/math.h>

#include <string.h>

enum { LAYERS = TAC__NORMAL_LAYERS };

// Edge i closes layer i on the right: edge[1] = r is where the tail begins, and edge[0] = v / f(r)
// makes the base as large as the others with their area v = r f(r) + tail.
const double tac__normal_edge[LAYERS + 1] = {
    3.910757959524916,
    3.654152885361009,
    3.449278298561431,
    3.3202447338398255,
    3.2245750520478014,
    3.147889289518001,
    3.0835261320021434,
    3.0278377917695933,
    2.978603279881843,
    2.9343668672088876,
    2.894121053613412,
    2.8571387308732246,
    2.822877396826443,
    2.7909211740019275,
    2.760944005279986,
    2.7326853590440114,
    2.705933656123062,
    2.680514643285745,
    2.6562830375767432,
    2.6331163936315827,
    2.6109105184888235,
    2.5895759867082866,
    2.569035452681844,
    2.5492215503247833,
    2.530075232159854,
    2.5115444416266945,
    2.4935830412710467,
    2.476149939670523,
    2.459208374334705,
    2.442725318200364,
    2.4266709849371466,
    2.4110184139011195,
    2.3957431197819274,
    2.3808227951720857,
    2.366237056717291,
    2.3519672273791445,
    2.337996148796529,
    2.3243080188711325,
    2.310888250601372,
    2.2977233489028634,
    2.284800802724492,
    2.2721089902283818,
    2.2596370951737876,
    2.247375032947389,
    2.235313384929921,
    2.2234433400925107,
    2.211756642884161,
    2.2002455466112765,
    2.1889027716263607,
    2.177721467740293,
    2.1666951803543086,
    2.1558178198767375,
    2.145083634047889,
    2.134487182846017,
    2.1240233156895236,
    2.113687150686653,
    2.1034740557148774,
    2.093379631138792,
    2.0833996939983046,
    2.073530263518743,
    2.0637675478117323,
    2.0541079316506523,
    2.0445479652175313,
    2.035084353729619,
    2.025713947863854,
    2.016433734906204,
    2.0072408305605287,
    1.9981324713584196,
    1.989106007617438,
    1.9801588969004766,
    1.9712886979336592,
    1.962493064944363,
    1.9537697423846467,
    1.9451165600086784,
    1.9365314282756947,
    1.9280123340526658,
    1.9195573365931882,
    1.9111645637712533,
    1.9028322085504292,
    1.8945585256707047,
    1.8863418285367828,
    1.8781804862929958,
    1.8700729210712668,
    1.8620176053996742,
    1.8540130597602018,
    1.8460578502851854,
    1.8381505865828067,
    1.830289919682757,
    1.8224745400938858,
    1.8147031759662826,
    1.8069745913508208,
    1.7992875845497203,
    1.7916409865521625,
    1.7840336595494415,
    1.7764644955245228,
    1.7689324149112686,
    1.7614363653189102,
    1.7539753203176716,
    1.7465482782817223,
    1.7391542612859117,
    1.7317923140529632,
    1.724461502948045,
    1.717160915017823,
    1.7098896570713018,
    1.7026468547999232,
    1.6954316519345616,
    1.6882432094371953,
    1.681080704725174,
    1.673943330926125,
    1.6668302961616654,
    1.6597408228581825,
    1.652674147083056,
    1.6456295179047824,
    1.6386061967755476,
    1.6316034569348736,
    1.6246205828330347,
    1.6176568695730156,
    1.6107116223698301,
    1.6037841560260946,
    1.5968737944227882,
    1.5899798700241907,
    1.5831017233960292,
    1.5762387027359064,
    1.5693901634151237,
    1.562555467531045,
    1.5557339834691764,
    1.5489250854741734,
    1.5421281532290019,
    1.535342571441514,
    1.5285677294377125,
    1.521803020760998,
    1.5150478427767147,
    1.5083015962813116,
    1.5015636851154637,
    1.4948335157804935,
    1.4881104970574475,
    1.4813940396281873,
    1.4746835556978555,
    1.4679784586180795,
    1.4612781625102755,
    1.4545820818884103,
    1.447889631280576,
    1.441200224848724,
    1.4345132760058923,
    1.427828197030256,
    1.421144398675309,
    1.4144612897754711,
    1.407778276846399,
    1.401094763679251,
    1.394410150928141,
    1.3877238356899761,
    1.3810352110758555,
    1.3743436657731662,
    1.367648583597476,
    1.360949343033283,
    1.354245316762635,
    1.3475358711805872,
    1.340820365896404,
    1.33409815321936,
    1.3273685776279258,
    1.3206309752210563,
    1.3138846731502205,
    1.3071289890307312,
    1.3003632303308372,
    1.2935866937369478,
    1.2867986644932436,
    1.279998415713818,
    1.2731852076653563,
    1.2663582870182295,
    1.2595168860637143,
    1.2526602218948972,
    1.2457874955486272,
    1.2388978911056874,
    1.2319905747461362,
    1.2250646937565308,
    1.2181193754854815,
    1.211153726243699,
    1.2041668301443815,
    1.1971577478794415,
    1.190125515426692,
    1.1830691426826867,
    1.175987612015452,
    1.168879876730833,
    1.1617448594456115,
    1.1545814503599277,
    1.147388505420849,
    1.1401648443681514,
    1.1329092486525338,
    1.1256204592155334,
    1.118297174119345,
    1.1109380460135758,
    1.1035416794246398,
    1.0961066278520215,
    1.0886313906539797,
    1.0811144097034038,
    1.0735540657924363,
    1.0659486747621225,
    1.0582964833306752,
    1.05059566459093,
    1.042844313144149,
    1.035040439833441,
    1.0271819660356458,
    1.0192667174654841,
    1.0112924174399958,
    1.003256679544673,
    0.995156999635091,
    0.9869907470990624,
    0.9787551552942246,
    0.9704473110642244,
    0.9620641432230406,
    0.953602409881086,
    0.9450586844681654,
    0.9364293402865751,
    0.9277105334020002,
    0.9188981836495906,
    0.9099879534967185,
    0.9009752244612218,
    0.8918550707329416,
    0.8826222295851656,
    0.8732710680888608,
    0.8637955455533088,
    0.8541891710081638,
    0.8444449549091539,
    0.8345553540863822,
    0.8245122087522921,
    0.8143066701352152,
    0.8039291169899713,
    0.7933690588406233,
    0.7826150233072331,
    0.7716544242245681,
    0.7604734064301081,
    0.7490566620178153,
    0.7373872114342956,
    0.7254461409099996,
    0.7132122851909759,
    0.7006618411068151,
    0.6877678927957885,
    0.6744998228372938,
    0.6608225742444197,
    0.6466957148949938,
    0.6320722363860611,
    0.6168969900077514,
    0.6011046177559927,
    0.5846167661063794,
    0.5673382570538188,
    0.5491517023271651,
    0.5299097206615582,
    0.5094233296020918,
    0.487443966139236,
    0.46363433679088223,
    0.4375184022078717,
    0.40838913461199117,
    0.37512133287838056,
    0.33573751921442524,
    0.2861745917920725,
    0.2152418959848817,
    0.0,
};

// --- what is refused at first -------------------------------------------------------------------

// More words for the n-th number of a draw: a block of their own for each try.
typedef struct more {
    const tac__stream *stream;
    uint64_t index;
    uint32_t number, tries;
} more;

static void more_words(more *m, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)m->index, (uint32_t)(m->index >> 32) | 0x80000000u,
                                 m->stream->high[0] ^ (m->tries++ * 4 + m->number),
                                 m->stream->high[1]};
    tac__philox(counter, m->stream->keys, words);
}

// Inside (0, 1).
static double uniform(uint32_t word)
{
    return ((double)word + 0.5) * 0x1p-32;
}

static double curve(double x)
{
    return tac_exp(-0.5 * x * x);
}

static double tail(more *m)
{
    const double r = tac__normal_edge[1];
    for (;;) {
        uint32_t w[4];
        more_words(m, w);
        const double x = -tac_log(uniform(w[0])) / r, y = -tac_log(uniform(w[1]));
        if (2 * y > x * x)
            return r + x;
    }
}

// |x| where the point `u` of a layer is not left of the next edge.
static double at_the_edge(more *m, unsigned layer, double u)
{
    const double *edge = tac__normal_edge;
    for (;;) {
        const double x = u * edge[layer];
        if (x < edge[layer + 1])
            return x;
        if (layer == 0)
            return tail(m);
        uint32_t w[4];
        more_words(m, w);
        const double low = curve(edge[layer]), high = curve(edge[layer + 1]);
        if (low + uniform(w[0]) * (high - low) < curve(x))
            return x;
        u = uniform(w[1]);
        layer = w[2] % LAYERS;
    }
}

// --- drawing ------------------------------------------------------------------------------------

// x or -x by the bit LAYERS of `minus`, without a branch that would be guessed wrong half the time.
static double with_sign(double x, unsigned minus)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    word ^= (uint64_t)minus << 55;
    memcpy(&x, &word, sizeof x);
    return x;
}

// The k-th number of a draw, from the word of its place and the one of the layers.
static inline double normal(const tac__stream *stream, uint64_t index, uint32_t k, uint32_t place,
                            uint32_t layers)
{
    const unsigned bits = layers >> 10 * k, layer = bits % LAYERS;
    const double u = uniform(place);
    double x = u * tac__normal_edge[layer];
    if (__builtin_expect(x >= tac__normal_edge[layer + 1], 0))
        x = at_the_edge(&(more){stream, index, k, 0}, layer, u);
    return with_sign(x, bits & LAYERS);
}

void tac__stream_normals(const tac__stream *stream, uint64_t *next, double *values, size_t count)
{
    for (size_t i = 0; i < count; i += 3) {
        const uint64_t index = (*next)++;
        uint32_t w[4];
        tac__stream_words(stream, index, w);
        for (uint32_t k = 0; k < 3 && i + k < count; k++)
            values[i + k] = normal(stream, index, k, w[k], w[3]);
    }
}

__attribute__((noinline)) static void make_ready(tac__normals *ready, const tac__stream *stream,
                                                 uint64_t index)
{
    uint32_t w[4][TAC__STREAM_WIDE];
    tac__stream_words_wide(stream, index, w);
    for (uint32_t i = 0; i < TAC__STREAM_WIDE; i++) {
        double *n = ready->values[i];
        n[0] = normal(stream, index + i, 0, w[0][i], w[3][i]);
        n[1] = normal(stream, index + i, 1, w[1][i], w[3][i]);
        n[2] = normal(stream, index + i, 2, w[2][i], w[3][i]);
    }
    ready->end = index + TAC__STREAM_WIDE;
}

// The numbers of the next draw.
static inline const double *next_draw(tac__normals *ready, const tac__stream *stream,
                                      uint64_t *next)
{
    const uint64_t index = (*next)++;
    if (ready->end - index - 1 >= TAC__STREAM_WIDE)
        make_ready(ready, stream, index);
    return ready->values[TAC__STREAM_WIDE - (ready->end - index)];
}

void tac__normals_make(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                       double *values, size_t count)
{
    for (; count >= 3; count -= 3, values += 3) {
        const double *n = next_draw(ready, stream, next);
        values[0] = n[0];
        values[1] = n[1];
        values[2] = n[2];
    }
    if (count) {
        const double *n = next_draw(ready, stream, next);
        values[0] = n[0];
        if (count == 2)
            values[1] = n[1];
    }
}
