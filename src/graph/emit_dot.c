// emit_dot.c - the terms of a graph as a picture for Graphviz: inputs at the left, outputs at the
// right, a cluster for each of their groups and for the body of each loop.
#include "graph/emit_picture.h"

static void add_quoted(tac__text *out, const char *text, const char *second)
{
    tac__text_add(out, "\"");
    for (int k = 0; k < 2; k++) {
        for (const char *c = k ? second : text; *c; c++) {
            if (*c == '"' || *c == '\\')
                tac__text_add(out, "\\%c", *c);
            else if ((unsigned char)*c < 0x20 || *c == 0x7f)
                tac__text_add(out, "?");
            else
                tac__text_bytes(out, c, 1);
        }
        tac__text_add(out, "%s", k == 0 && *second ? "\\n" : "");
    }
    tac__text_add(out, "\"");
}

static void add_box(const tac__node_picture *p, size_t i, tac__text *out)
{
    const tac__node_box *b = &p->boxes[i];
    tac__text_add(out, "    n%zu [label=", i);
    add_quoted(out, b->text, b->name ? b->name : "");
    tac__text_add(out, ", fillcolor=\"%s\", color=\"%s\"];\n", tac__node_fill(b->kind),
                  tac__node_line(b->kind));
}

static void begin_cluster(tac__text *out, const char *kind, int32_t number, const char *label)
{
    tac__text_add(out, "  subgraph cluster_%s_%d {\n    label=", kind, number);
    add_quoted(out, label, "");
    tac__text_add(out, "; style=\"rounded\"; color=\"#94a3b8\"; fontcolor=\"#475569\";\n");
}

// Boxes of a group of inputs or outputs follow one another.
static void add_groups(const tac__node_picture *p, tac__node_kind kind, const tac__group *groups,
                       tac__text *out)
{
    int32_t open = -1;
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__node_box *b = &p->boxes[i];
        if (b->kind != kind)
            continue;
        if (b->group != open) {
            tac__text_add(out, "%s", open >= 0 ? "  }\n" : "");
            begin_cluster(out, kind == TAC__NODE_INPUT ? "in" : "out", b->group,
                          groups[b->group].name);
            open = b->group;
        }
        add_box(p, i, out);
    }
    tac__text_add(out, "%s", open >= 0 ? "  }\n" : "");
}

// Graphviz gathers what several subgraphs of one name have.
static void add_terms(const tac__node_picture *p, tac__text *out)
{
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__node_box *b = &p->boxes[i];
        if (b->kind == TAC__NODE_INPUT || b->kind == TAC__NODE_OUTPUT)
            continue;
        if (b->loop >= 0) {
            char label[32];
            tac__out text = tac__out_begin(label, sizeof label);
            tac__out_add(&text, "loop %d", b->loop);
            begin_cluster(out, "loop", b->loop, label);
        }
        add_box(p, i, out);
        tac__text_add(out, "%s", b->loop >= 0 ? "  }\n" : "");
    }
}

static void add_arrows(const tac__node_picture *p, tac__text *out)
{
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__node_arrow *a = &p->arrows[i];
        tac__text_add(out, "  n%d -> n%d", a->from, a->to);
        if (a->text[0])
            tac__text_add(out, " [label=\"%s\"%s]", a->text,
                          a->back ? ", style=dashed, constraint=false" : "");
        tac__text_add(out, ";\n");
    }
}

tac_status tac__emit_dot(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                         tac__text *out, tac_error *err)
{
    tac__node_picture p;
    TAC_TRY(tac__node_picture_make(f, arena, &p, err));
    tac__text_add(out, "digraph ");
    add_quoted(out, options->name ? options->name : f->name, "");
    tac__text_add(out, " {\n  rankdir=LR; fontname=\"Helvetica\";");
    if (options->title) {
        tac__text_add(out, " labelloc=t; label=");
        add_quoted(out, options->title, "");
        tac__text_add(out, ";");
    }
    tac__text_add(out, "\n  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
                       "fontsize=10, height=0.25];\n"
                       "  edge [color=\"#64748b\", fontname=\"Helvetica\", fontsize=8, "
                       "arrowsize=0.6];\n");
    add_groups(&p, TAC__NODE_INPUT, f->in, out);
    add_terms(&p, out);
    add_groups(&p, TAC__NODE_OUTPUT, f->out, out);
    add_arrows(&p, out);
    tac__text_add(out, "}\n");
    return TAC_OK;
}
